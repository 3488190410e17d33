/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and names of system calls.
 */
#pragma once
#include <stdint.h>

/* The number of the system call that tracepoints call `name`, or -1. */
int64_t syscall_number(const char *name);
/* The C library's name of a system call, or NULL. */
const char *syscall_name(int64_t number);
