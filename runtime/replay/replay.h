/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a recording as the source of a session's events (docs/internals/replay.md).
 */
#pragma once
#include "runtime/session/event_source.h"

struct recorded_events;

struct replay {
	struct event_source source;
	const struct recorded_events *all;
	const char *file;
	uint64_t now_ns; /* the time of the current event, CLOCK_BOOTTIME */
	struct session *s;
	uint32_t *runs;	  /* of each program at each point: see runs_at() */
	uint64_t *due_ns; /* of each interval */
	uint32_t next;	  /* event */
	bool (*drain)(void *ctx);
	void *ctx;
	bool is_over;
};

/* Prepare a session over the events of the recording `file`; its source is r->source. */
void replay_init(struct replay *r, const struct recorded_events *all, const char *file);
