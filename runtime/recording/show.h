/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a recording by a writer, in the order in which the run printed.
 */
#pragma once
#include "runtime/recording/recording.h"
#include "runtime/output/out.h"

/* Which spans are shown, and what else. */
struct show_filter {
	uint32_t tid;	      /* 0: any */
	uint64_t min_ns;      /* shorter ones are left out */
	const char *function; /* a pattern of names; NULL: any */
	bool no_events;	      /* what printf() and the like print is left out */
	bool no_maps;
	bool last_maps;	  /* of each map, what was printed last; all of a run with --reset */
	bool only_stacks; /* of maps, those with stacks in their keys */
	bool quiet;	  /* the number of attached probes is left out */
};

/* Hand all to `out`. 0; -1 after a message; or the -errno of a write. */
int recording_show(struct recording *r, const struct show_filter *f, struct out *out);

/* Write the stacks of the recording at `path` to `f` as folded stacks. *is_time: their values are
 * nanoseconds, as far as the recording says. 0, or -1 after a message. */
int recording_fold(const char *path, FILE *f, bool *is_time);
