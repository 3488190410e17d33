/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations in user space: words of many CPUs to one value, values to views, and what a bucket
 * of a histogram holds.
 */
#pragma once
#include "parser/lang/agg.h"
#include "runtime/output/view.h"
#include <stddef.h>

/* Merge `n` words at `from` (of another CPU, another epoch) into `into`. */
void agg_merge(const struct type *t, uint64_t *into, const void *from, uint32_t n);
/* The view of merged words: all but histograms. */
void agg_view(struct view *v, const struct type *t, const uint64_t *words);
/* The view of a histogram: `n` buckets in ascending order, which must live as long. */
void agg_view_buckets(struct view *v, const struct type *t, const struct view_bucket *buckets,
		      uint32_t n);
/* Rows' order by value: <0, 0, >0. */
int agg_compare(const struct view *a, const struct view *b);
/* print's third argument: divide what is shown. */
void agg_divide(struct view *v, uint64_t divisor);

/* Where bucket i begins: the least value of it; for 0 there is none (INT64_MIN). Of i = the number
 * of buckets: one past the last value. */
int64_t agg_bucket_begin(const struct type *t, uint32_t i);

/* What quantiles() shows, of the middles of buckets. */
struct agg_quantiles {
	uint64_t count;
	int64_t min, p50, p90, p99, p999, max; /* -1: a value below 0 */
};
void agg_quantiles(const struct view *v, struct agg_quantiles *out);
