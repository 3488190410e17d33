/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a function of this program is in its file, so that it can be probed.
 */
#pragma once
#include <stdint.h>

/* The offset of the function in /proc/self/exe; 0: it is not in the program itself. */
uint64_t own_offset(void (*code)(void));
