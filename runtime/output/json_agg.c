/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of aggregations: stats and quantiles as objects, histograms as lists of the buckets that
 * have something, their edges inclusive; a bucket open to one side lacks that edge.
 */
#include "runtime/output/json_agg.h"
#include "runtime/output/agg.h"

static void put_field(struct text *t, const char *name, int64_t x, bool is_signed)
{
	text_string(t, name);
	if (is_signed)
		text_signed(t, x);
	else
		text_unsigned(t, (uint64_t)x);
}

static void put_stats(struct text *t, const struct view *v)
{
	put_field(t, "{\"count\": ", (int64_t)v->stats.count, false);
	put_field(t, ", \"average\": ", (int64_t)v->stats.average, v->type->is_signed);
	put_field(t, ", \"total\": ", (int64_t)v->stats.total, v->type->is_signed);
	text_string(t, "}");
}

static void put_quantiles(struct text *t, const struct view *v)
{
	struct agg_quantiles q;

	agg_quantiles(v, &q);
	put_field(t, "{\"count\": ", (int64_t)q.count, false);
	put_field(t, ", \"min\": ", q.min, true);
	put_field(t, ", \"p50\": ", q.p50, true);
	put_field(t, ", \"p90\": ", q.p90, true);
	put_field(t, ", \"p99\": ", q.p99, true);
	put_field(t, ", \"p99.9\": ", q.p999, true);
	put_field(t, ", \"max\": ", q.max, true);
	text_string(t, "}");
}

/* lhist has a bucket of all that is beyond it; the last one of the others ends with the numbers. */
static bool is_open(const struct type *t, uint32_t bucket)
{
	return t->agg == AGG_LHIST && bucket + 1 == agg_buckets(t);
}

static int64_t last_value(const struct type *t, uint32_t bucket)
{
	return bucket + 1 < agg_buckets(t) ? agg_bucket_begin(t, bucket + 1) - 1 : INT64_MAX;
}

static void put_histogram(struct text *t, const struct view *v)
{
	text_string(t, "[");
	for (uint32_t i = 0; i < v->histogram.n; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];

		text_string(t, i ? ",{" : "{");
		if (b->index > 0)
			put_field(t, "\"min\": ", agg_bucket_begin(v->type, b->index), true);
		if (!is_open(v->type, b->index))
			put_field(t, b->index > 0 ? ", \"max\": " : "\"max\": ",
				  last_value(v->type, b->index), true);
		put_field(t, ", \"count\": ", (int64_t)(b->count / v->histogram.divisor), false);
		text_string(t, "}");
	}
	text_string(t, "]");
}

const char *json_agg_line(const struct type *t)
{
	switch (t->agg) {
	case AGG_NONE:
	case AGG_COUNT:
	case AGG_SUM:
	case AGG_MIN:
	case AGG_MAX:
	case AGG_KIND_COUNT: return "map";
	case AGG_AVG:
	case AGG_STATS:
	case AGG_QUANTILES: return "stats";
	case AGG_HIST:
	case AGG_LHIST: return "hist";
	}
	return "map";
}

bool json_agg_value(struct text *t, const struct view *v)
{
	switch (v->type->agg) {
	case AGG_STATS: put_stats(t, v); return true;
	case AGG_QUANTILES: put_quantiles(t, v); return true;
	case AGG_HIST:
	case AGG_LHIST: put_histogram(t, v); return true;
	case AGG_NONE:
	case AGG_COUNT:
	case AGG_SUM:
	case AGG_MIN:
	case AGG_MAX:
	case AGG_AVG:
	case AGG_KIND_COUNT: return false;
	}
	return false;
}
