/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals that a thread of ours runs (programs of PP_TICK).
 */
#pragma once
#include <stdint.h>

struct session;
struct ticker;

/* Begin: the first firings are due a period from now. *out is NULL when the plan has no such
 * interval. 0 or -errno. */
int ticker_start(const struct session *s, struct ticker **out);
/* No program of the thread's runs any more when this returns. NULL is allowed, here and below. */
void ticker_stop(struct ticker *t);
/* When it has stopped. 0, or the -errno, said already, for which it ended tracing. */
int ticker_error(const struct ticker *t);
/* When it has stopped. Firings of the probe that were due and did not run. */
uint64_t ticker_lost(const struct ticker *t, uint32_t probe);
void ticker_free(struct ticker *t);
