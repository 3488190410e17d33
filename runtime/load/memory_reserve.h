/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spare memory for the end of a run in a cgroup with a memory limit. Maps are charged to the cgroup
 * and can fill it; then the kernel would kill the tracer, and all results with it. A child process
 * holds the reserve and is killed first.
 */
#pragma once
#include <sys/types.h>

struct plan;

struct memory_reserve {
	pid_t pid; /* 0: there is none */
	int fd;	   /* POLLHUP: the child was killed */
};

/* Start the child if the cgroup's limit is low, and warn if it is too low for this plan. */
void memory_reserve_start(struct memory_reserve *r, const struct plan *plan);
/* End the child, so that the tracer can use the memory. */
void memory_reserve_release(struct memory_reserve *r);
