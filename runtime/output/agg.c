/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations in user space, by the layout of their row (parser/lang/aggs.def). Reads merged words
 * and bucket counters (map_read.c, view_map.c), makes views of them; what they look like is decided
 * by the writers (format_agg.c for text).
 */
#include "runtime/output/agg.h"
#include <string.h>

void agg_merge(const struct type *t, uint64_t *into, const void *from, uint32_t n)
{
	bool is_max = agg_rows[t->agg].layout == AL_MAX;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)from + i * sizeof(word), sizeof(word));
		if (!is_max)
			into[i] += word;
		else if (word > into[i])
			into[i] = word;
	}
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

void agg_view(struct view *v, const struct type *t, const uint64_t *words)
{
	v->type = t;
	switch (t->agg) {
	case AGG_MIN:
	case AGG_MAX: v->integer = words[1] ? agg_ordered(t, words[0]) : 0; return;
	case AGG_AVG: v->integer = average(t, words[0], words[1]); return;
	case AGG_STATS:
		v->stats.total = words[0];
		v->stats.count = words[1];
		v->stats.average = average(t, words[0], words[1]);
		return;
	default: /* one word */ v->integer = words[0];
	}
}

void agg_view_buckets(struct view *v, const struct type *t, const struct view_bucket *buckets,
		      uint32_t n)
{
	v->type = t;
	v->histogram.buckets = buckets;
	v->histogram.n = n;
	v->histogram.divisor = 1;
	v->histogram.total = 0;
	for (uint32_t i = 0; i < n; i++)
		v->histogram.total += buckets[i].count;
}

static int compare(uint64_t a, uint64_t b, bool is_signed)
{
	if (is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

int agg_compare(const struct view *a, const struct view *b)
{
	if (agg_rows[a->type->agg].layout == AL_BUCKETS)
		return compare(a->histogram.total, b->histogram.total, false);
	if (a->type->agg == AGG_STATS)
		return compare(a->stats.average, b->stats.average, a->type->is_signed);
	return compare(a->integer, b->integer, a->type->is_signed);
}

void agg_divide(struct view *v, uint64_t divisor)
{
	switch (v->type->agg) {
	case AGG_STATS:
		v->stats.average = divide(v->stats.average, divisor, v->type->is_signed);
		return;
	case AGG_HIST: v->histogram.divisor = divisor; return;
	case AGG_LHIST:
	case AGG_QUANTILES: return;
	default: /* plain integers too */
		v->integer = divide(v->integer, divisor, v->type->is_signed);
	}
}

/* ---- buckets ----------------------------------------------------------------------------- */

/* The inverse of sonde_bucket_log: bucket i holds edge(i - 1) and what is less than edge(i). */
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

int64_t agg_bucket_begin(const struct type *t, uint32_t i)
{
	if (i == 0)
		return INT64_MIN;
	if (t->agg == AGG_LHIST)
		return t->scale[0] + (int64_t)(i - 1) * t->scale[2];
	return log_edge(i - 1, (uint32_t)t->scale[0]);
}

/* Buckets of one value are exact; of the others the middle is taken. */
static int64_t middle(const struct type *t, uint32_t bucket)
{
	int64_t begin = agg_bucket_begin(t, bucket);

	if (bucket == 0)
		return -1;
	return begin + (agg_bucket_begin(t, bucket + 1) - begin) / 2;
}

/* The value of rank ceil(count * per_mille / 1000). */
static int64_t at_rank(const struct view *v, uint32_t per_mille)
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

void agg_quantiles(const struct view *v, struct agg_quantiles *out)
{
	*out = (struct agg_quantiles){
		.count = v->histogram.total,
		.min = at_rank(v, 0),
		.p50 = at_rank(v, 500),
		.p90 = at_rank(v, 900),
		.p99 = at_rank(v, 990),
		.p999 = at_rank(v, 999),
		.max = at_rank(v, 1000),
	};
}
