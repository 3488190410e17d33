/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of 'sonde record --events' that are recorded by the name of their probe: samples of
 * profile, software and hardware events, raw tracepoints.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct arena;
struct kernel;
struct typed_function;

struct recorded_named {
	const char *text;		    /* the probe, as the script writes it */
	const struct typed_function *typed; /* of a raw tracepoint; or NULL */
};

struct recorded_names {
	struct recorded_named *items;
	uint32_t n;
};

/* Is the pattern, TYPE:…, one of these? */
bool record_named_is(const char *pattern);
/* Add it. 0, or -1 after a message. */
int record_named_select(struct recorded_names *all, struct arena *a, struct kernel *k,
			const char *pattern);
/* Write the probes and the facts. `before` are statements, `head` is what is recorded of every
 * event. */
void record_named_put(const struct recorded_names *all, const char *before, const char *head,
		      FILE *script, FILE *facts);
