/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the last seconds, in memory: `sonde record --last`. When they need more memory than
 * 64 MiB, the oldest are dropped and counted.
 */
#pragma once
#include "runtime/recording/spool.h"
#include "runtime/base/vec.h"
#include <stdbool.h>

struct last_block;

struct last_rows {
	uint64_t length_ns;		 /* 0: rows are not held back */
	VEC(struct last_block *) blocks; /* the oldest first */
	uint64_t *n_dropped;		 /* counts rows that were not too old */
};

/* Keep a row. 0 or -ENOMEM. */
int last_rows_put(struct last_rows *l, const char *bytes, size_t n);
/* Hand over the rows of the last seconds, and keep none of them. 0 or as spool_put(). */
int last_rows_dump(struct last_rows *l, struct spool *to);
void last_rows_free(struct last_rows *l);
