/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a session: from BEGIN to the last line of output.
 */
#pragma once
#include "runtime/session/command.h"
#include "runtime/session/session.h"

struct loop_options {
	struct command *command; /* NULL or .pid 0: none */
	uint32_t pid;		 /* -p, or 0 */
	uint64_t duration_ns;	 /* 0: until something else ends it */
	int ready_fd;		 /* -1, or where "ready\n" goes when all probes are attached */
	bool quiet;
	uint64_t interval_ns; /* print all maps so often; 0: only at the end */
	bool reset;	      /* ... and empty them */
	bool strict;	      /* a loss is exit status 4 */
	bool dry_run;	      /* attach, then stop */
	bool tests;	      /* run tests or benches instead of waiting for events */
	bool follow;	      /* -p: and what it has started already */
	enum out_buffering buffering;
	bool everything; /* the scope is not limited to the command or process */
};

/* Run to the end: BEGIN, attach, release the command, events, detach, END, maps, losses.
 * The exit status: 0, the value of exit(n), 2, or 4 for losses when strict. */
int loop_run(struct session *s, struct out *out, const struct loop_options *o);
