/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The script that records calls of functions: what a replay needs of each, in the order of
 * runtime/recording/raw_impl.h.
 */
#pragma once
#include <stdio.h>

struct recorded_calls;

/* Write the probes. `before` are statements, `head` is what is recorded of every event. */
void record_calls_put(const struct recorded_calls *c, const char *before, const char *head,
		      FILE *script);
