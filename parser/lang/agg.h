/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of aggregations out of aggs.def. codegen adds by a row's layout, runtime merges by it.
 */
#pragma once
#include "parser/lang/type.h"

enum agg_layout {
	AL_SUM,	    /* 1 word, added to */
	AL_MAX,	    /* 2 words: the greatest in the order of agg_ordered; 1 once there is one */
	AL_AVERAGE, /* 2 words: total, count */
	AL_BUCKETS, /* counters: an entry each where there are keys, else words side by side */
};

struct agg_row {
	const char *name_unsigned, *name_signed;
	enum agg_layout layout;
	bool is_readable; /* in expressions, as an integer */
};

extern const struct agg_row agg_rows[AGG_KIND_COUNT];

/* Words of a value of t: in an entry of a keyed map, or in all of a map without keys. */
uint32_t agg_words(const struct type *t, bool is_keyed);
/* Number of buckets of hist, lhist, quantiles. */
uint32_t agg_buckets(const struct type *t);
/* A value as min and max keep it: mapped to unsigned so that the wanted one is the greatest, and 0,
 * which a CPU has that never saw a value, is the least. Its own inverse. */
uint64_t agg_ordered(const struct type *t, uint64_t value);
