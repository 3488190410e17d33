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
