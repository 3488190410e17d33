/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde record --events: records each firing of tracepoints, for 'sonde replay'.
 */
#pragma once

#include <stdbool.h>

struct kernel;
struct options;
struct source;

/* The exit status. */
int record_events_run(const struct options *o);

/* A script that runs beside the recorder, for what it reads. */
struct recorded_script {
	const struct source *source;
	const char *types; /* of C that it uses, as facts of the kernel */
	bool stacks;	   /* those of events are recorded */
};

/* Record the events of a list in the form of --events. `script` may be NULL. The exit status. */
int record_events_of(const struct options *o, struct kernel *k, const char *list,
		     const struct recorded_script *script);
