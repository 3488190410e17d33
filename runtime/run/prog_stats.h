/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --stats and --max-overhead: what each program's runs cost, as the kernel counts it.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct out;
struct session;

struct prog_counters {
	uint64_t hits, runs, ns, missed, lost;
	uint64_t kstacks, recalled; /* kernel stacks that may be recalled, and that were */
};

struct prog_moment {
	uint64_t ns, self_ns;	     /* CLOCK_MONOTONIC, CPU time of this process until then */
	struct prog_counters *progs; /* by plan->progs index */
};

struct prog_stats {
	int fd;		 /* the kernel counts as long as it is open; -1: none */
	bool prints;	 /* --stats */
	double limit;	 /* --max-overhead: percent of the time of all CPUs; 0: any */
	uint64_t end_ns; /* 0: tracing goes on */
	struct prog_moment begin, now;
	struct prog_moment printed, checked; /* the last print of --interval, check of the limit */
};

/* Let the kernel count runs and the programs hits, unless neither is wanted. 0 or -errno. */
int prog_stats_open(struct prog_stats *p, const struct session *s, bool prints, double limit);
/* All is attached. */
void prog_stats_begin(struct prog_stats *p);
/* Has the limit been exceeded since the last check, half a second ago? Reports it. */
bool prog_stats_is_too_much(struct prog_stats *p, const struct session *s);
/* Print what was counted since the last print. */
void prog_stats_print(struct prog_stats *p, const struct session *s, struct out *out);
/* Tracing ends: read the counters before the programs are detached. */
void prog_stats_stop(struct prog_stats *p, const struct session *s);
/* Print what was counted since the beginning. */
void prog_stats_print_all(struct prog_stats *p, const struct session *s, struct out *out);
void prog_stats_close(struct prog_stats *p);
