/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of aggregations: stats and quantiles as objects, histograms as lists of the buckets from
 * the first to the last that has a count, with the empty ones between. Both edges are inclusive; a
 * bucket that is open to one side has no edge there. Time series are lists of their intervals.
 */
#include "runtime/output/json_agg.h"
#include "runtime/view/agg.h"
#include <stdio.h>
#include <time.h>

static void put_field(struct text *t, const char *name, int64_t x, bool is_signed)
{
	text_string(t, name);
	if (is_signed)
		text_signed(t, x);
	else
		text_unsigned(t, (uint64_t)x);
}

bool jsn_stats(struct text *t, const struct view *v)
{
	put_field(t, "{\"count\": ", (int64_t)v->stats.count, false);
	put_field(t, ", \"average\": ", (int64_t)v->stats.average, v->type->is_signed);
	put_field(t, ", \"total\": ", (int64_t)v->stats.total, v->type->is_signed);
	text_string(t, "}");
	return true;
}

bool jsn_quantiles(struct text *t, const struct view *v)
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
	return true;
}

/* The last bucket of lhist has no upper edge. */
static bool is_open(const struct type *t, uint32_t bucket)
{
	return agg_rows[t->agg].layout == AL_LINEAR_BUCKETS && bucket + 1 == agg_buckets(t);
}

static int64_t last_value(const struct type *t, uint32_t bucket)
{
	return bucket + 1 < agg_buckets(t) ? agg_bucket_begin(t, bucket + 1) - 1 : INT64_MAX;
}

static void put_bucket(struct text *t, const struct type *type, uint32_t bucket, uint64_t n)
{
	bool has_begin = agg_bucket_begin(type, bucket) != INT64_MIN;

	text_string(t, "{");
	if (has_begin)
		put_field(t, "\"min\": ", agg_bucket_begin(type, bucket), true);
	if (!is_open(type, bucket))
		put_field(t, has_begin ? ", \"max\": " : "\"max\": ", last_value(type, bucket),
			  true);
	put_field(t, ", \"count\": ", (int64_t)n, false);
	text_string(t, "}");
}

bool jsn_histogram(struct text *t, const struct view *v)
{
	struct agg_range range = agg_shown_buckets(v);

	text_string(t, "[");
	for (uint32_t i = range.begin; i < range.end; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];
		uint64_t gap = i > range.begin ? b[-1].index + 1 : b->index;

		for (; gap < b->index; gap++) {
			put_bucket(t, v->type, (uint32_t)gap, 0);
			text_string(t, ",");
		}
		put_bucket(t, v->type, (uint32_t)b->index, b->count / v->histogram.divisor);
		text_string(t, i + 1 < range.end ? "," : "");
	}
	text_string(t, "]");
	return true;
}

/* Times are those of UTC; intervals without a value are left out. */
bool jsn_series(struct text *t, const struct view *v)
{
	text_string(t, "[");
	for (uint32_t i = 0; i < v->histogram.n; i++) {
		uint64_t ns = v->histogram.buckets[i].index * (uint64_t)v->type->scale[0];
		time_t seconds = (time_t)(ns / 1000000000);
		char start[64];
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(start, sizeof(start), "%Y-%m-%d %H:%M:%S", &tm);
		text_string(t, i ? ",{\"interval_start\":\"" : "{\"interval_start\":\"");
		text_string(t, start);
		snprintf(start, sizeof(start), ".%09u\"", (unsigned)(ns % 1000000000));
		text_string(t, start);
		put_field(t, ",\"value\":", (int64_t)v->histogram.buckets[i].count,
			  v->type->is_signed);
		text_string(t, "}");
	}
	text_string(t, "]");
	return true;
}

bool jsn_number(struct text *t, const struct view *v)
{
	(void)t, (void)v;
	return false;
}

static const struct {
	agg_json_fn *value;
	const char *line;
} hooks[] = {
#define AGG_ROW(id, name_u, name_s, layout, readable, size, scale, view, compare, divide, text_, \
		json, line)                                                                      \
	[AGG_##id] = {json, line},
#include "parser/lang/aggs.def"
#undef AGG_ROW
};

_Static_assert(sizeof(hooks) / sizeof(*hooks) == AGG_KIND_COUNT, "one hook for each kind");

const char *json_agg_line(const struct type *t)
{
	return t->kind == TY_AGG ? hooks[t->agg].line : "map";
}

bool json_agg_value(struct text *t, const struct view *v)
{
	return hooks[v->type->agg].value(t, v);
}
