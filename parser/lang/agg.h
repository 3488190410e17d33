/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of aggregations made of aggs.def. Programs add by the layout of a row, and the runtime
 * merges by it.
 */
#pragma once
#include "parser/lang/type.h"

enum agg_layout {
	AL_SUM,	    /* 1 word, added to */
	AL_MIN,	    /* as AL_MAX, of inverted values */
	AL_MAX,	    /* 2 words: the maximum in the order of agg_ordered(); 1 once there is one */
	AL_AVERAGE, /* 2 words: sum, count */
	/* Counters: with keys an entry each, else words side by side. */
	AL_LOG_BUCKETS,
	AL_LINEAR_BUCKETS,
};

struct agg_row {
	const char *name_unsigned, *name_signed;
	enum agg_layout layout;
	bool is_readable;     /* in expressions, as an integer */
	uint32_t scale_shown; /* numbers of the scale in the type's name */
};

extern const struct agg_row agg_rows[AGG_KIND_COUNT];

/* Is it a histogram, or computed from one? */
static inline bool agg_has_buckets(const struct type *t)
{
	return t->kind == TY_AGG && agg_rows[t->agg].layout >= AL_LOG_BUCKETS;
}

/* Number of words of a value of t: in an entry of a map with keys, or in a map without keys. */
uint32_t agg_words(const struct type *t, bool is_keyed);
/* Number of buckets of hist, lhist, quantiles. */
uint32_t agg_buckets(const struct type *t);
/* `min` and `max` both store a maximum. Values are mapped to an unsigned order in which 0 is the
 * smallest, and a second word records whether anything was stored, so a zeroed element is a valid
 * empty one. Its own inverse. */
uint64_t agg_ordered(const struct type *t, uint64_t value);
