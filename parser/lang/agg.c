/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of aggs.def as an array, and what depends on a row and the scale of a type.
 */
#include "parser/lang/agg.h"
#include "bpf_helpers/bucket.h"

/* The columns of layouts, for those of aggregations. */
enum {
#define LAYOUT(id, words, buckets, ...) WORDS_##id = words, KIND_##id = buckets,
#include "parser/lang/aggs.def"
};

const struct agg_row agg_rows[] = {
#define AGG_ROW(id, name_u, name_s, layout_, readable, size, scale, counted_, view, compare, \
		divide, text, json, line, lines, add, metric_)                               \
	[AGG_##id] = {.name_unsigned = name_u,                                               \
		      .name_signed = name_s,                                                 \
		      .layout = AL_##layout_,                                                \
		      .words = WORDS_##layout_,                                              \
		      .buckets = (enum agg_buckets_kind)KIND_##layout_,                      \
		      .is_readable = readable,                                               \
		      .scale_shown = scale,                                                  \
		      .counted = counted_,                                                   \
		      .metric = METRIC_##metric_},
#include "parser/lang/aggs.def"
};

_Static_assert(sizeof(agg_rows) / sizeof(*agg_rows) == AGG_KIND_COUNT, "one row for each kind");

bool agg_named(const char *name, enum agg_kind *out)
{
	for (size_t i = 1; i < sizeof(agg_rows) / sizeof(*agg_rows); i++)
		if (strcmp(agg_rows[i].name_signed, name) == 0 ||
		    strcmp(agg_rows[i].name_unsigned, name) == 0) {
			*out = (enum agg_kind)i;
			return true;
		}
	return false;
}

uint32_t agg_words(const struct type *t, bool is_keyed)
{
	uint32_t words = agg_rows[t->agg].words;

	return words ? words : is_keyed ? WORDS_AVERAGE : agg_buckets(t) + 1;
}

uint32_t agg_buckets(const struct type *t)
{
	const int64_t *scale = t->scale;

	switch (agg_rows[t->agg].buckets) {
	case BUCKETS_NONE: break;
	case BUCKETS_LOG: return (uint32_t)sonde_bucket_log(INT64_MAX, (uint32_t)scale[0]) + 1;
	case BUCKETS_LINEAR:
		return (uint32_t)sonde_bucket_linear(INT64_MAX, scale[0], scale[1],
						     (uint64_t)scale[2]) +
		       1;
	case BUCKETS_SIGNED:
		return (uint32_t)sonde_bucket_signed(INT64_MAX, (uint32_t)scale[0]) + 1;
	case BUCKETS_SERIES: return (uint32_t)scale[1];
	}
	return 1;
}

uint32_t agg_middle_bucket(const struct type *t)
{
	return (uint32_t)sonde_bucket_signed(0, (uint32_t)t->scale[0]);
}

const char *const series_ops[] = {
	[SERIES_LAST] = "",   [SERIES_AVG] = "avg", [SERIES_MAX] = "max",
	[SERIES_MIN] = "min", [SERIES_SUM] = "sum",
};

int series_op_find(const char *name)
{
	for (int i = SERIES_AVG; i <= SERIES_SUM; i++)
		if (strcmp(series_ops[i], name) == 0)
			return i;
	return -1;
}

bool agg_is_minimum(const struct type *t)
{
	return agg_rows[t->agg].layout == AL_MIN || (agg_is_series(t) && t->scale[2] == SERIES_MIN);
}

uint64_t agg_ordered(const struct type *t, uint64_t value)
{
	if (t->is_signed)
		value ^= 1ull << 63;
	return agg_is_minimum(t) ? ~value : value;
}
