/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of system calls.
 */
#pragma once
#include <stdint.h>

/* The number of the system call that tracepoints call `name`, or -1. */
int64_t syscall_number(const char *name);
