/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where C compilers look for headers after the folders of -I.
 */
#pragma once
#include <stddef.h>

enum { N_HEADER_DIRS = 3 };
extern const char *const header_dirs[N_HEADER_DIRS];
