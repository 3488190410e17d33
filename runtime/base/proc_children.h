/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes, and the threads of a process and of its descendants, from /proc.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* A non-zero result ends the walk and is returned from it. */
typedef int proc_fn(void *ctx, uint32_t pid);
/* Call fn with each process. 0, fn's result, or -errno. */
int proc_each_process(proc_fn *fn, void *ctx);
typedef int proc_thread_fn(void *ctx, uint32_t pid, uint32_t tid);
/* Call fn with each thread of a process, and if it `descends` of all its descendants, parents
 * first. Processes that have ended have none. 0, fn's result, or -EACCES: /proc hides one. */
int proc_each_thread(uint32_t pid, bool descends, proc_thread_fn *fn, void *ctx);
