/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of aggregations made of aggs.def. Programs add by the layout of a row, and the runtime
 * merges by it.
 */
#pragma once
#include "parser/lang/type.h"

enum agg_layout {
#define LAYOUT(id, ...) AL_##id,
#include "parser/lang/aggs.def"
};

/* How the buckets of a histogram are numbered, by the scale of the type. */
enum agg_buckets_kind {
	BUCKETS_NONE,
	BUCKETS_LOG,
	BUCKETS_LINEAR,
	BUCKETS_SIGNED, /* those of BUCKETS_LOG on both sides of 0 */
	BUCKETS_SERIES, /* intervals */
};

/* What tseries() keeps of an interval: scale[2] of its type. */
enum series_op {
	SERIES_LAST, /* a value, the time when it was stored */
	SERIES_AVG,  /* sum, count */
	SERIES_MAX,  /* the maximum in the order of agg_ordered() */
	SERIES_MIN,  /* as SERIES_MAX, of inverted values */
	SERIES_SUM,
};

/* By enum series_op; the first one has no name. */
extern const char *const series_ops[];
/* The one of that name, or -1. */
int series_op_find(const char *name);

/* What Prometheus gets of a value (runtime/metrics/metric_values.c). */
enum agg_metric {
	METRIC_NONE,
	METRIC_COUNTER, /* a gauge, if values are signed */
	METRIC_GAUGE,
	METRIC_AVERAGE, /* sum and count */
	METRIC_QUANTILES,
	METRIC_HISTOGRAM,
	METRIC_COUNT,
};

struct agg_row {
	const char *name_unsigned, *name_signed;
	enum agg_layout layout;
	uint32_t words; /* as in aggs.def */
	enum agg_buckets_kind buckets;
	bool is_readable;     /* in expressions, as an integer */
	uint32_t scale_shown; /* numbers of the scale in the type's name */
	const char *counted;  /* what a value is the number of: "events"; or NULL */
	enum agg_metric metric;
};

extern const struct agg_row agg_rows[AGG_KIND_COUNT];

/* The aggregation whose type has that name, "sum_t" or "usum_t". False: there is none. */
bool agg_named(const char *name, enum agg_kind *out);

/* Is it a histogram, or computed from one? */
static inline bool agg_has_buckets(const struct type *t)
{
	return t->kind == TY_AGG && agg_rows[t->agg].buckets != BUCKETS_NONE;
}

static inline bool agg_is_series(const struct type *t)
{
	return t->kind == TY_AGG && agg_rows[t->agg].buckets == BUCKETS_SERIES;
}

/* Number of words of a value of t: in an entry of a map with keys, or in a map without keys. */
uint32_t agg_words(const struct type *t, bool is_keyed);
/* Number of buckets of hist, shist, lhist, quantiles; of intervals of tseries. */
uint32_t agg_buckets(const struct type *t);
/* shist: the bucket of 0. */
uint32_t agg_middle_bucket(const struct type *t);
/* `min` and `max` both store a maximum. Values are mapped to an unsigned order in which 0 is the
 * smallest, and a second word records whether anything was stored, so a zeroed element is a valid
 * empty one. Its own inverse. */
uint64_t agg_ordered(const struct type *t, uint64_t value);
/* Are values inverted before the maximum is stored? */
bool agg_is_minimum(const struct type *t);
