/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other names of kernel functions. A function without arguments that serves a system call has
 * several (SYSCALL_DEFINE0 of arch/x86/include/asm/syscall_wrapper.h), and the kernel's list of
 * what can be traced has one for an address. A pattern finds it by each.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The i-th other name of the function that is listed as `name`, if there is one: that it exists is
 * likely, not certain. */
bool kernel_alias(const char *name, uint32_t i, char *out, size_t size);
