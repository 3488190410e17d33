/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of aggregations: stats and quantiles as objects, histograms as lists of the buckets from
 * the first to the last that has a count, with the empty ones between. Both edges are inclusive; a
 * bucket that is open to one side has no edge there. Time series are lists of their intervals.
 */
#include "runtime/output/json_value.h"
#include "runtime/view/agg.h"
#include <time.h>

static void put_either(struct json *j, const char *key, uint64_t x, bool is_signed)
{
	if (is_signed)
		json_put_signed(j, key, (int64_t)x);
	else
		json_put_unsigned(j, key, x);
}

void jsn_stats(struct json *j, const char *key, const struct view *v)
{
	json_open(j, key, '{');
	json_put_unsigned(j, "count", v->stats.count);
	put_either(j, "average", v->stats.average, v->type->is_signed);
	put_either(j, "total", v->stats.total, v->type->is_signed);
	json_close(j, '}');
}

/* Integers that a double cannot hold are strings. */
static void put_exact(struct json *j, const char *key, uint64_t x, bool is_signed)
{
	json_put_integer(j, key, &(struct view){.type = type_int(8, is_signed), .integer = x});
}

void jsl_average(struct json *j, const char *key, const struct view *v)
{
	json_open(j, key, '{');
	put_exact(j, "count", v->stats.count, false);
	put_exact(j, "average", v->stats.average, v->type->is_signed);
	put_exact(j, "total", v->stats.total, v->type->is_signed);
	json_close(j, '}');
}

/* null: there was no value. */
void jsl_extreme(struct json *j, const char *key, const struct view *v)
{
	if (v->stats.count)
		json_put_integer(j, key, v);
	else
		json_put_format(j, key, "null");
}

static void put_quantiles(struct json *j, const struct view *v)
{
	json_put_unsigned(j, "count", v->histogram.total);
	for (int i = 0; i < SHOWN_QUANTILES; i++)
		json_put_signed(j, agg_shown_quantiles[i].name,
				agg_quantile(v, agg_shown_quantiles[i].per_mille));
}

void jsn_quantiles(struct json *j, const char *key, const struct view *v)
{
	json_open(j, key, '{');
	put_quantiles(j, v);
	json_close(j, '}');
}

/* The last bucket of lhist has no upper edge. */
static bool is_open(const struct type *t, uint32_t bucket)
{
	return agg_rows[t->agg].buckets == BUCKETS_LINEAR && bucket + 1 == agg_buckets(t);
}

static int64_t last_value(const struct type *t, uint32_t bucket)
{
	return bucket + 1 < agg_buckets(t) ? agg_bucket_begin(t, bucket + 1) - 1 : INT64_MAX;
}

/* No blank comes before a bucket; there are some in it. */
static void put_bucket(struct json *j, const struct type *type, uint32_t bucket, uint64_t n)
{
	j->is_compact = true;
	json_open(j, NULL, '{');
	j->is_compact = false;
	if (agg_bucket_begin(type, bucket) != INT64_MIN)
		json_put_signed(j, "min", agg_bucket_begin(type, bucket));
	if (!is_open(type, bucket))
		json_put_signed(j, "max", last_value(type, bucket));
	json_put_unsigned(j, "count", n);
	json_close(j, '}');
}

void jsn_histogram(struct json *j, const char *key, const struct view *v)
{
	struct agg_range range = agg_shown_buckets(v);

	json_open(j, key, '[');
	for (uint32_t i = range.begin; i < range.end; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];
		uint64_t gap = i > range.begin ? b[-1].index + 1 : b->index;

		for (; gap < b->index; gap++)
			put_bucket(j, v->type, (uint32_t)gap, 0);
		put_bucket(j, v->type, (uint32_t)b->index, b->count / v->histogram.divisor);
	}
	json_close(j, ']');
}

/* The sum of the values, and the buckets that have some. */
static void put_sparse(struct json *j, const struct view *v)
{
	put_exact(j, "sum", (uint64_t)((int64_t)v->histogram.sum / (int64_t)v->histogram.divisor),
		  true);
	json_open(j, "buckets", '[');
	for (uint32_t i = 0; i < v->histogram.n; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];

		if (b->count)
			put_bucket(j, v->type, (uint32_t)b->index, b->count / v->histogram.divisor);
	}
	json_close(j, ']');
}

void jsl_histogram(struct json *j, const char *key, const struct view *v)
{
	json_open(j, key, '{');
	json_put_unsigned(j, "count", v->histogram.total / v->histogram.divisor);
	put_sparse(j, v);
	json_close(j, '}');
}

void jsl_quantiles(struct json *j, const char *key, const struct view *v)
{
	json_open(j, key, '{');
	put_quantiles(j, v);
	put_sparse(j, v);
	json_close(j, '}');
}

/* Times are those of UTC; intervals without a value are left out. */
void jsn_series(struct json *j, const char *key, const struct view *v)
{
	json_open(j, key, '[');
	j->is_compact = true;
	for (uint32_t i = 0; i < v->histogram.n; i++) {
		uint64_t ns = v->histogram.buckets[i].index * (uint64_t)v->type->scale[0];
		time_t seconds = (time_t)(ns / 1000000000);
		char start[32];
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(start, sizeof(start), "%Y-%m-%d %H:%M:%S", &tm);
		json_open(j, NULL, '{');
		json_put_format(j, "interval_start", "\"%s.%09u\"", start,
				(unsigned)(ns % 1000000000));
		put_either(j, "value", v->histogram.buckets[i].count, v->type->is_signed);
		json_close(j, '}');
	}
	json_close(j, ']');
	j->is_compact = false;
}

void jsn_number(struct json *j, const char *key, const struct view *v)
{
	json_put_integer(j, key, v);
}

static const struct {
	agg_json_fn *value;
	const char *line;
	agg_json_fn *lines;
} hooks[] = {
#define AGG_ROW(id, name_u, name_s, layout, readable, size, scale, counted, view, compare, divide, \
		text_, json, line, lines, ...)                                                     \
	[AGG_##id] = {json, line, lines},
#include "parser/lang/aggs.def"
};

_Static_assert(sizeof(hooks) / sizeof(*hooks) == AGG_KIND_COUNT, "one hook for each kind");

const char *json_agg_line(const struct type *t)
{
	return t->kind == TY_AGG ? hooks[t->agg].line : "map";
}

void json_agg_lines(struct json *j, const char *key, const struct view *v)
{
	hooks[v->type->agg].lines(j, key, v);
}

void json_agg_value(struct json *j, const char *key, const struct view *v)
{
	hooks[v->type->agg].value(j, key, v);
}
