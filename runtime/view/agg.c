/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations in user space: merges words by the layout of their row (parser/lang/aggs.def) and
 * turns merged words and bucket counters (map_read.c, view_map.c) into views. The writers decide
 * what a view looks like (format_agg.c for text).
 */
#include "runtime/view/agg.h"
#include "bpf_helpers/bucket.h"
#include <string.h>

/* ---- merge hooks of layouts ---------------------------------------------------------------- */

static void merge_sums(const struct type *t, uint64_t *into, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		into[i] += from[i];
}

static void merge_greatest(const struct type *t, uint64_t *into, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* A CPU that is not in the entry's interval yet, or not any more, has nothing to add. */
static void merge_series(const struct type *t, uint64_t *into, const uint64_t *from, uint32_t n)
{
	enum series_op op = (enum series_op)t->scale[2];

	if (from[0] == 0 || from[0] < into[0])
		return;
	if (from[0] > into[0] || (op == SERIES_LAST && from[2] > into[2]))
		memcpy(into, from, n * sizeof(*into));
	else if (op == SERIES_MAX || op == SERIES_MIN)
		merge_greatest(t, into + 1, from + 1, 1);
	else if (op != SERIES_LAST)
		merge_sums(t, into + 1, from + 1, 2);
}

void agg_merge(const struct type *t, uint64_t *into, const void *from, uint32_t n)
{
	static void (*const merge[])(const struct type *t, uint64_t *into, const uint64_t *from,
				     uint32_t n) = {
#define LAYOUT(id, words, buckets, add, function, read, merge) [AL_##id] = merge,
#include "parser/lang/aggs.def"
	};

	merge[agg_rows[t->agg].layout](t, into, from, n);
}

static uint64_t divide(uint64_t x, uint64_t y, bool is_signed)
{
	if (is_signed && y <= INT64_MAX)
		return (uint64_t)((int64_t)x / (int64_t)y);
	return is_signed ? 0 : x / y;
}

static uint64_t average(const struct type *t, uint64_t total, uint64_t count)
{
	return count ? divide(total, count, t->is_signed) : 0;
}

uint64_t agg_series_value(const struct type *t, const uint64_t *words)
{
	switch ((enum series_op)t->scale[2]) {
	case SERIES_AVG: return average(t, words[1], words[2]);
	case SERIES_MAX:
	case SERIES_MIN: return agg_ordered(t, words[1]);
	case SERIES_LAST:
	case SERIES_SUM: break;
	}
	return words[1];
}

/* ---- hooks of aggs.def ------------------------------------------------------------------- */

void vw_word(struct view *v, const uint64_t *words)
{
	v->integer = words[0];
}

void vw_extreme(struct view *v, const uint64_t *words)
{
	v->stats.average = words[1] ? agg_ordered(v->type, words[0]) : 0;
	v->stats.count = words[1];
	v->stats.total = 0;
}

void vw_average(struct view *v, const uint64_t *words)
{
	v->stats.total = words[0];
	v->stats.count = words[1];
	v->stats.average = average(v->type, words[0], words[1]);
}

/* agg_view_buckets() has made the view. */
void vw_buckets(struct view *v, const uint64_t *words)
{
}

static int compare(uint64_t a, uint64_t b, bool is_signed)
{
	if (is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

int cmp_number(const struct view *a, const struct view *b)
{
	return compare(a->integer, b->integer, a->type->is_signed);
}

int cmp_average(const struct view *a, const struct view *b)
{
	return compare(a->stats.average, b->stats.average, a->type->is_signed);
}

int cmp_total(const struct view *a, const struct view *b)
{
	return compare(a->histogram.total, b->histogram.total, false);
}

int cmp_none(const struct view *a, const struct view *b)
{
	return 0;
}

void div_number(struct view *v, uint64_t divisor)
{
	v->integer = divide(v->integer, divisor, v->type->is_signed);
}

void div_average(struct view *v, uint64_t divisor)
{
	v->stats.average = divide(v->stats.average, divisor, v->type->is_signed);
}

void div_counts(struct view *v, uint64_t divisor)
{
	v->histogram.divisor = divisor;
}

void div_none(struct view *v, uint64_t divisor)
{
}

static const struct {
	agg_view_fn *view;
	agg_compare_fn *compare;
	agg_divide_fn *divide;
	agg_add_fn *add;
} hooks[] = {
#define AGG_ROW(id, name_u, name_s, layout, readable, size, scale, counted, view_, compare_, \
		divide_, text_, json, line, lines, add_, ...)                                \
	[AGG_##id] = {.view = view_, .compare = compare_, .divide = divide_, .add = add_},
#include "parser/lang/aggs.def"
};

_Static_assert(sizeof(hooks) / sizeof(*hooks) == AGG_KIND_COUNT, "hooks for each kind");

void agg_view(struct view *v, const struct type *t, const uint64_t *words)
{
	v->type = t;
	hooks[t->agg].view(v, words);
}

void agg_view_buckets(struct view *v, const struct type *t, const struct view_bucket *buckets,
		      uint32_t n)
{
	v->type = t;
	v->histogram.buckets = buckets;
	v->histogram.n = n;
	v->histogram.divisor = 1;
	v->histogram.total = v->histogram.sum = 0;
	for (uint32_t i = 0; i < n; i++)
		v->histogram.total += buckets[i].count;
	hooks[t->agg].view(v, NULL);
}

int agg_compare(const struct view *a, const struct view *b)
{
	return hooks[a->type->agg].compare(a, b);
}

bool agg_add(struct arena *a, struct view *into, const struct view *from)
{
	return hooks[into->type->agg].add(a, into, from);
}

bool agg_has_total(const struct type *t)
{
	return t->kind == TY_AGG && hooks[t->agg].compare == cmp_average;
}

int agg_compare_totals(const struct view *a, const struct view *b)
{
	return compare(a->stats.total, b->stats.total, a->type->is_signed);
}

void agg_divide(struct view *v, uint64_t divisor)
{
	if (v->type->kind == TY_AGG)
		hooks[v->type->agg].divide(v, divisor);
	else
		div_number(v, divisor);
}

/* ---- buckets ----------------------------------------------------------------------------- */

/* The inverse of sonde_bucket_log: bucket i holds edge(i - 1) up to below edge(i). */
static int64_t log_edge(uint32_t j, uint32_t k)
{
	uint32_t power;

	if (j <= 2u << k)
		return j;
	power = (j >> k) - 1;
	if (power + k >= 63)
		return INT64_MAX;
	return (int64_t)(((1ull << k) + (j & ((1u << k) - 1))) << power);
}

/* Below the middle, bucket i mirrors the bucket that is as far above it. */
static int64_t signed_begin(const struct type *t, uint32_t i)
{
	uint32_t middle = agg_middle_bucket(t), k = (uint32_t)t->scale[0];

	return i >= middle ? log_edge(i - middle, k) : 1 - log_edge(middle - i + 1, k);
}

int64_t agg_bucket_begin(const struct type *t, uint32_t i)
{
	if (agg_rows[t->agg].buckets == BUCKETS_SIGNED)
		return signed_begin(t, i);
	if (i == 0)
		return INT64_MIN;
	if (agg_rows[t->agg].buckets == BUCKETS_LINEAR)
		return t->scale[0] + (int64_t)(i - 1) * t->scale[2];
	return log_edge(i - 1, (uint32_t)t->scale[0]);
}

uint32_t agg_bucket_of(const struct type *t, int64_t value)
{
	const int64_t *s = t->scale;

	switch (agg_rows[t->agg].buckets) {
	case BUCKETS_LOG: return (uint32_t)sonde_bucket_log(value, (uint32_t)s[0]);
	case BUCKETS_SIGNED: return (uint32_t)sonde_bucket_signed(value, (uint32_t)s[0]);
	case BUCKETS_LINEAR:
		return (uint32_t)sonde_bucket_linear(value, s[0], s[1], (uint64_t)s[2]);
	case BUCKETS_NONE:
	case BUCKETS_SERIES: break;
	}
	return 0;
}

struct agg_range agg_shown_buckets(const struct view *v)
{
	struct agg_range r = {.end = v->histogram.n};

	while (r.begin < r.end && v->histogram.buckets[r.begin].count == 0)
		r.begin++;
	while (r.end > r.begin && v->histogram.buckets[r.end - 1].count == 0)
		r.end--;
	return r;
}

/* Exact for buckets of one value, else the middle of the bucket. */
static int64_t middle(const struct type *t, uint32_t bucket)
{
	int64_t begin = agg_bucket_begin(t, bucket);

	return bucket == 0 ? -1 : begin + (agg_bucket_begin(t, bucket + 1) - begin) / 2;
}

const struct agg_quantile_row agg_shown_quantiles[] = {
	{"min", 0}, {"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}, {"max", 1000},
};

/* The value of rank ceil(count * per_mille / 1000). */
int64_t agg_quantile(const struct view *v, uint32_t per_mille)
{
	uint64_t total = v->histogram.total, seen = 0;
	uint64_t rank = total / 1000 * per_mille + (total % 1000 * per_mille + 999) / 1000;

	for (uint32_t i = 0; i < v->histogram.n; i++) {
		seen += v->histogram.buckets[i].count;
		if (seen >= rank && v->histogram.buckets[i].count)
			return middle(v->type, v->histogram.buckets[i].index);
	}
	return 0;
}
