/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build ID of an ELF file, read from its program headers, without libelf.
 */
#pragma once
#include <stddef.h>

enum { BUILD_ID_BYTES = 32 }; /* a longer one is cut */

/* Read the build ID of the 64-bit file behind fd. Returns its length; 0: there is none. */
size_t build_id_read(int fd, unsigned char out[BUILD_ID_BYTES]);
