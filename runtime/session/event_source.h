/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source of events other than the kernel. The interpreter runs the programs on its events, and
 * the tracer asks it what it would ask the running kernel.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct plan;
struct session;
struct session_prep;
struct sonde_stack;
struct view_frame;

struct event_source {
	/* Report what of the script the source does not have. 0, or the exit status. */
	int (*check)(const struct event_source *e, const struct plan *p);
	/* Set what programs are told of the run. */
	void (*prepare)(const struct event_source *e, struct session_prep *prep);
	/* Set how the session shows times, once it is loaded. */
	void (*open)(struct event_source *e, struct session *s);
	/* Run the programs of all events, and of intervals between them. `drain` is called after
	 * each program and returns false when the run is to end. 0, or -errno after a message. */
	int (*run)(struct event_source *e, struct session *s, bool (*drain)(void *ctx), void *ctx);
	/* The time of the current event, nanoseconds since 1970. */
	uint64_t (*wall_ns)(const struct event_source *e);
	/* The frames of a stack, in *out, for the caller to free(); *cut: why there are no more.
	 * `shows`: enum stack_shows. 0 or -ENOMEM. */
	int (*frames)(const struct event_source *e, const struct sonde_stack *st, uint32_t shows,
		      struct view_frame **out, uint32_t *n, const char **cut);
	/* What cgroup_path_text() returns for a cgroup of the running kernel. */
	char *(*cgroup_path)(const struct event_source *e, uint64_t id, const char *filter);
};
