/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals run by a thread of sonde (programs of PP_INTERVAL_THREAD).
 */
#pragma once
#include <stdint.h>

struct session;
struct interval_thread;

/* Start the thread: the first firings are due one period from now. *out is NULL when the plan has
 * no such interval. 0, or -errno after a message. */
int interval_thread_start(const struct session *s, struct interval_thread **out);
/* From now on, the kernel's programs run while this process reads maps for intervals, if programs
 * are preempted there (runtime/base/hold_cpu.h). It can take a millisecond. */
void interval_thread_protect(const struct session *s);
/* When this returns, the thread runs no program any more. NULL is allowed, here and below. */
void interval_thread_stop(struct interval_thread *t);
/* After the stop: 0, or the -errno, already reported, for which the thread ended tracing. */
int interval_thread_error(const struct interval_thread *t);
/* After the stop: firings of the probe that were due but did not run. */
uint64_t interval_thread_lost(const struct interval_thread *t, uint32_t probe);
void interval_thread_free(struct interval_thread *t);
