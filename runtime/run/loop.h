/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a session, from BEGIN to the last line of output.
 */
#pragma once
#include "runtime/run/command.h"
#include "runtime/output/out.h"
#include "runtime/load/memory_reserve.h"
#include "runtime/session/session.h"
#include "runtime/run/start_moment.h"

struct events;
struct loop_options {
	struct command *command; /* NULL or .pid 0: none */
	uint64_t duration_ns;	 /* 0: unlimited */
	struct start_moment start;
	int ready_fd; /* receives "ready\n" when all probes are attached; -1: none */
	bool quiet;
	uint64_t interval_ns; /* between prints of all maps; 0: only at the end */
	bool reset;	      /* clear maps after each print */
	bool strict;	      /* losses have exit status 4 */
	bool stats;	      /* print what each program costs */
	double max_overhead;  /* percent of the time of all CPUs; 0: any */
	bool dry_run;	      /* attach, then stop */
	bool tests;	      /* run tests or benches instead of waiting for events */
	enum out_buffering buffering;
	struct memory_reserve *reserve; /* or NULL */
	bool no_warnings;		/* --no-warnings: warnf() prints nothing */
	/* Called with the exit status at the end of a run, while maps can be read; or NULL. */
	void (*after)(void *ctx, struct events *e, int status);
	void *after_ctx;
};

/* Run BEGIN, attach, release the command, handle events, detach, run END, print maps and losses.
 * Returns the exit status: 0, the value of exit(n), 2, or 4 for losses with --strict. */
int loop_run(struct session *s, struct out *out, const struct loop_options *o);
