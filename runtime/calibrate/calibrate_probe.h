/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probed function of this program, whose calls are measured: see calibrate_probe.c.
 */
#pragma once
#include "bpf_helpers/shared.h"

enum {
	CALIBRATE_CALLS = 48, /* measured calls of a batch */
	CALIBRATE_FEW = 16,   /* ... where each takes some microseconds */
	CALIBRATE_RUNS = 2 * (CALIBRATE_CALLS + 1),
};

/* What the program writes: the beginning and the end of each of its runs. */
struct run_log {
	uint64_t n, unused;
	struct {
		uint64_t begin_ns, end_ns;
	} runs[CALIBRATE_RUNS];
};

struct kernel;
struct calibrate_probe {
	enum sonde_cost_method method;
	uint64_t class;
	uint64_t plain_ns;     /* a call without a probe */
	uint32_t only_process; /* whose calls run the programs; 0: all */
	int map, progs[2], links[2];
	struct run_log *log;
};

/* Of a batch of calls: the medians, and how far apart nine in ten of the floors are. */
struct calibrate_batch {
	struct sonde_cost cost;
	uint64_t range_ns;
};

/* Attach. 0 or -errno; close it in any case. */
int calibrate_probe_open(struct calibrate_probe *p, struct kernel *k, enum sonde_cost_method method,
			 uint64_t class);
/* Measure a batch of calls. 0, or -ENODATA if it was disturbed. */
int calibrate_probe_measure(const struct calibrate_probe *p, struct calibrate_batch *out);
void calibrate_probe_close(struct calibrate_probe *p);

/* The value below which are `percent` of the others; sorts them. */
uint64_t calibrate_quantile(uint64_t *values, uint32_t n, uint32_t percent);
