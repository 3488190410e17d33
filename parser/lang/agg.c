/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of aggs.def as an array, and what depends on a row and the scale of a type.
 */
#include "parser/lang/agg.h"
#include "bpf_helpers/bucket.h"
#include <string.h>

const struct agg_row agg_rows[] = {
#define AGG_ROW(id, name_u, name_s, layout_, readable, size, scale, ...) \
	[AGG_##id] = {.name_unsigned = name_u,                           \
		      .name_signed = name_s,                             \
		      .layout = layout_,                                 \
		      .is_readable = readable,                           \
		      .scale_shown = scale},
#include "parser/lang/aggs.def"
#undef AGG_ROW
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
	switch (agg_rows[t->agg].layout) {
	case AL_SUM: return 1;
	case AL_MIN:
	case AL_MAX:
	case AL_AVERAGE: return 2;
	case AL_LOG_BUCKETS:
	case AL_LINEAR_BUCKETS:
	case AL_SIGNED_BUCKETS: return is_keyed ? 1 : agg_buckets(t);
	case AL_SERIES: return 3;
	}
	return 1;
}

uint32_t agg_buckets(const struct type *t)
{
	const int64_t *scale = t->scale;

	switch (agg_rows[t->agg].layout) {
	case AL_LINEAR_BUCKETS:
		return (uint32_t)sonde_bucket_linear(INT64_MAX, scale[0], scale[1],
						     (uint64_t)scale[2]) +
		       1;
	case AL_SIGNED_BUCKETS:
		return (uint32_t)sonde_bucket_signed(INT64_MAX, (uint32_t)scale[0]) + 1;
	case AL_SERIES: return (uint32_t)scale[1];
	default: return (uint32_t)sonde_bucket_log(INT64_MAX, (uint32_t)scale[0]) + 1;
	}
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
	enum agg_layout layout = agg_rows[t->agg].layout;

	return layout == AL_MIN || (layout == AL_SERIES && t->scale[2] == SERIES_MIN);
}

uint64_t agg_ordered(const struct type *t, uint64_t value)
{
	if (t->is_signed)
		value ^= 1ull << 63;
	return agg_is_minimum(t) ? ~value : value;
}
