/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc/PID/status and /proc/PID/stat say of a process.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct proc_status {
	uint32_t effective_uid; /* in our user namespace */
	uint32_t inner_pid;	/* its pid in its own pid namespace */
};

/* 0 or -errno; -ESRCH if the process has ended. */
int proc_status_read(uint32_t pid, struct proc_status *out);
/* The same from the text of a status file. False if it lacks something. */
bool proc_status_parse(const char *text, struct proc_status *out);
/* Start time of the process in CLOCK_MONOTONIC ns, in units of 10 ms; 0 if unknown. */
uint64_t proc_start_ns(uint32_t pid);
