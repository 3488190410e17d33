/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other names of kernel functions. A system call's function without arguments has several names
 * (SYSCALL_DEFINE0 in arch/x86/include/asm/syscall_wrapper.h), but the kernel's list of traceable
 * functions has one name for each address. Patterns match all of them.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Store the i-th other name of the function that is listed as `name`, if there is one. The name
 * probably exists, but that is not certain. */
bool kernel_alias(const char *name, uint32_t i, char *out, size_t size);
