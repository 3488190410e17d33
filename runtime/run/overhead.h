/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --max-overhead: what tracing costs, measured while it runs.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct session;

struct overhead_prog {
	uint64_t run_ns, runs, hits; /* at the last check */
	uint64_t cost_ns, n, n_hits; /* since the one before */
};

struct overhead {
	double limit;	  /* percent of the time of all CPUs; 0: not measured */
	int stats_fd;	  /* the kernel counts as long as it is open; -1: none */
	uint64_t at_ns;	  /* CLOCK_MONOTONIC of the last check */
	uint64_t self_ns; /* CPU time of this process until then */
	uint32_t n_cpus;
	struct overhead_prog *progs; /* by plan->progs index */
};

/* Begin to measure. 0 or -errno. */
int overhead_begin(struct overhead *o, const struct session *s, double limit);
/* Has the limit been exceeded since the last check, half a second ago? Reports it. */
bool overhead_is_exceeded(struct overhead *o, const struct session *s);
void overhead_end(struct overhead *o);
