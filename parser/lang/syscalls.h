/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and names of system calls.
 */
#pragma once
#include <stdint.h>

/* The number of the system call that tracepoints call `name`, or -1. */
int64_t syscall_number(const char *name);
/* A system call that programs hardly make any more, by the names of its tracepoints. */
struct newer_call {
	const char *name;
	const char *instead; /* the call that they make; NULL: the vDSO answers, without one */
};

/* The row of that name in newer_calls.def, or NULL. */
const struct newer_call *syscall_newer(const char *name);
/* The C library's name of a system call, or NULL. */
const char *syscall_name(int number);
