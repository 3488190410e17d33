/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has shown, read from the file of a tap (runtime/output/out_tap.h).
 */
#pragma once
#include <stdint.h>
#include <stdio.h>

struct arena;

struct shown_bucket {
	int64_t low, high; /* values from `low` up to below `high` */
	uint64_t count;
};

struct shown_row {
	const char *map, *key;
	int64_t value;
	uint64_t entries;
	struct shown_bucket *buckets;
	uint32_t n_buckets;
};

struct shown {
	struct shown_row *rows;
	uint32_t n_rows;
	const char **lines;
	uint32_t n_lines;
	int status; /* exit status of the run */
};

/* Read the file from its beginning. */
void shown_read(struct arena *a, FILE *f, struct shown *out);
