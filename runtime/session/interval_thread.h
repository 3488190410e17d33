/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals that a thread of ours runs (programs of PP_INTERVAL_THREAD).
 */
#pragma once
#include <stdint.h>

struct session;
struct interval_thread;

/* Begin: the first firings are due a period from now. *out is NULL when the plan has no such
 * interval. 0 or -errno. */
int interval_thread_start(const struct session *s, struct interval_thread **out);
/* No program of the thread's runs any more when this returns. NULL is allowed, here and below. */
void interval_thread_stop(struct interval_thread *t);
/* When it has stopped. 0, or the -errno, said already, for which it ended tracing. */
int interval_thread_error(const struct interval_thread *t);
/* When it has stopped. Firings of the probe that were due and did not run. */
uint64_t interval_thread_lost(const struct interval_thread *t, uint32_t probe);
void interval_thread_free(struct interval_thread *t);
