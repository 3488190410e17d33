/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An optional part of a session: it knows the tracer's own time in calls of functions of programs,
 * which programs subtract (plan_needs.tracer_time).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/* How much of the time of a call whose probes are single-stepped is the tracer's, in ns. */
struct tracer_share {
	uint64_t floor_ns;  /* of the call's own time */
	uint64_t inside_ns; /* for each traced call inside it */
	uint64_t range_ns;  /* between the shortest and the longest of nine in ten calls */
};

/* Measure that for calls whose start or end program `prog` handles. is_entry: the entry is
 * single-stepped, not only exits. It takes some 20 ms. False if it cannot be measured. */
typedef bool tracer_share_fn(struct session *s, uint32_t prog, bool is_entry,
			     struct tracer_share *out);

struct tracer_time {
	/* A program is about to be attached to a function that begins with `code`. Returns bits for
	 * its attach cookie. */
	uint64_t (*attach)(struct session *s, uint32_t prog, const uint8_t *code, size_t n);
	/* All is attached. */
	void (*start)(struct session *s);
	/* The script's probes are about to be detached. True if closing takes long. */
	bool (*stop)(struct session *s);
	/* Report what was subtracted. */
	void (*report)(const struct session *s);
	void (*close)(struct session *s);
};
