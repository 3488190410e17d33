/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --stats: what each program's runs have cost, as the kernel counts it.
 */
#pragma once
#include <stdint.h>

struct out;
struct session;

struct prog_counters {
	uint64_t hits, runs, ns, missed, lost;
};

struct prog_stats {
	int fd;			       /* the kernel counts as long as it is open; -1: none */
	struct prog_counters *now;     /* by plan->progs index */
	struct prog_counters *printed; /* at the last print of --interval */
	uint64_t begin_ns, printed_ns; /* CLOCK_MONOTONIC */
	uint64_t end_ns;	       /* 0: tracing goes on */
	/* CPU time of this process until then */
	uint64_t begin_self_ns, printed_self_ns;
};

/* Let the kernel count runs and the programs hits. 0 or -errno. */
int prog_stats_open(struct prog_stats *p, const struct session *s);
/* All is attached. */
void prog_stats_begin(struct prog_stats *p);
/* Print what was counted since the last print. */
void prog_stats_print(struct prog_stats *p, const struct session *s, struct out *out);
/* Tracing ends: read the counters before the programs are detached. */
void prog_stats_stop(struct prog_stats *p, const struct session *s);
/* Print what was counted since the beginning. */
void prog_stats_print_all(struct prog_stats *p, const struct session *s, struct out *out);
void prog_stats_close(struct prog_stats *p);
