/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's BPF helper functions by number.
 */
#pragma once
#include <stdint.h>

/* "map_lookup_elem"; NULL: newer than the headers that sonde was built with. */
const char *helper_name(uint32_t number);
/* What it does, in one sentence; NULL: not one that sonde's programs call. */
const char *helper_purpose(uint32_t number);
