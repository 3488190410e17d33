/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde stat: count events of a command or process with the kernel's own counters, as a table.
 * stat_events.c finds the counters, stat.c runs the command, stat_print.c prints.
 */
#pragma once
#include "cli/options/options.h"
#include "runtime/run/counters.h"

struct stat_run {
	struct arena *arena; /* names of events */
	const struct options *options;
	struct kernel *kernel; /* while tracepoints are looked up; or NULL */
	char **words;	       /* the command, ends with NULL; NULL: the process of -p */
	struct {
		struct counter *items;
		uint32_t n;
	} counters;
	uint64_t elapsed_ns, user_ns, system_ns; /* the last two of a command */
	int status;				 /* of the command, as a shell has it */
};

/* Count what the command line asks for. The exit status: that of the command. */
int stat_run(const struct options *o);

/* Fill r->counters. 0, or -1 after a message. */
int stat_find_events(struct stat_run *r);
/* Print the table, or the object. */
void stat_print(const struct stat_run *r, FILE *f);
