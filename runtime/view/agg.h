/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations in user space: merging the words of all CPUs, views of values, and the range of a
 * histogram's bucket.
 */
#pragma once
#include "parser/lang/agg.h"
#include "runtime/view/view.h"

struct text;
struct json;

/* The hooks of aggs.def. A view hook gets the merged words; with buckets it gets NULL, and a view
 * that agg_view_buckets() has made. */
typedef void agg_view_fn(struct view *v, const uint64_t *words);
typedef int agg_compare_fn(const struct view *a, const struct view *b);
typedef void agg_divide_fn(struct view *v, uint64_t divisor);
typedef void agg_text_fn(struct text *t, const struct view *v);
typedef void agg_json_fn(struct json *j, const char *key, const struct view *v);
typedef bool agg_add_fn(struct arena *a, struct view *into, const struct view *from);
#define AGG_ROW(id, name_u, name_s, layout, readable, size, scale, counted, view, compare, divide, \
		text_, json, line, lines, add, ...)                                                \
	agg_view_fn view;                                                                          \
	agg_compare_fn compare;                                                                    \
	agg_divide_fn divide;                                                                      \
	agg_text_fn text_;                                                                         \
	agg_json_fn json;                                                                          \
	agg_json_fn lines;                                                                         \
	agg_add_fn add;
#include "parser/lang/aggs.def"

/* Merge the `n` words at `from`, of another CPU or epoch, into `into`. */
void agg_merge(const struct type *t, uint64_t *into, const void *from, uint32_t n);
/* The view of merged words. Histograms: agg_view_buckets(). */
void agg_view(struct view *v, const struct type *t, const uint64_t *words);
/* The view of a histogram: `n` buckets in ascending order, which must outlive the view. */
void agg_view_buckets(struct view *v, const struct type *t, const struct view_bucket *buckets,
		      uint32_t n);
/* The value of an interval of tseries() from its merged words. */
uint64_t agg_series_value(const struct type *t, const uint64_t *words);
/* Compare values to order rows: <0, 0, >0. */
int agg_compare(const struct view *a, const struct view *b);
/* True of stats(), whose view has a total beside the average. */
bool agg_has_total(const struct type *t);
int agg_compare_totals(const struct view *a, const struct view *b);
/* Can values of this type be added (agg_add.c)? */
bool agg_can_add(const struct type *t);
/* Add the value of another run, of an equal type (docs/merging.md). Buckets of `into` are its own,
 * and may move within the arena. False: they cannot be added. */
bool agg_add(struct arena *a, struct view *into, const struct view *from);
/* Divide what is shown, for the third argument of print(). */
void agg_divide(struct view *v, uint64_t divisor);

/* The smallest value in bucket i; INT64_MIN for bucket 0, which has none. If i is the number of
 * buckets, one past the largest value. */
int64_t agg_bucket_begin(const struct type *t, uint32_t i);

/* The bucket that counts a value: the inverse. */
uint32_t agg_bucket_of(const struct type *t, int64_t value);

/* The buckets of a view, by their place in it, from the first to the last that has a count. */
struct agg_range {
	uint32_t begin, end;
};
struct agg_range agg_shown_buckets(const struct view *v);

/* What quantiles() shows beside the count. */
enum { SHOWN_QUANTILES = 6 };
extern const struct agg_quantile_row {
	const char *name;
	uint32_t per_mille;
} agg_shown_quantiles[SHOWN_QUANTILES];
/* Computed from the middles of buckets; -1: a value below 0. */
int64_t agg_quantile(const struct view *v, uint32_t per_mille);
