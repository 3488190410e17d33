/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's BPF helper functions by number.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* "map_lookup_elem"; NULL: newer than the headers that sonde was built with. */
const char *helper_name(uint32_t number);
/* What it does, in one sentence; NULL: it is not in parser/lang/kernel_helpers.def. */
const char *helper_purpose(uint32_t number);
/* Does a program that calls it need --unsafe? One that is not in the table does. */
bool helper_is_unsafe(uint32_t number);
/* The same for a function of the kernel that programs call by its name: parser/lang/kfuncs.def. */
bool kfunc_is_unsafe(const char *name);
