/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of perf_events.def: events that software and hardware probes count.
 */
#pragma once
#include "parser/lang/probe.h"

struct perf_event_row {
	enum probe_id id; /* PROBE_SOFTWARE, PROBE_HARDWARE */
	const char *name, *alias;
	uint32_t type;	   /* enum perf_type_id of linux/perf_event.h */
	uint64_t config;   /* its number in that type */
	uint64_t every;	   /* events for each firing, unless the script has a count */
	uint32_t stat_row; /* in the table of `sonde stat`; 0: there only with -e */
};

extern const struct perf_event_row perf_event_rows[];
extern const uint32_t n_perf_event_rows;

/* True if this is the event's name or alias. */
bool perf_event_is_named(const struct perf_event_row *row, const char *name);
/* The name or alias nearest to `name`; NULL if none is near. */
const char *perf_event_nearest(const char *name);
