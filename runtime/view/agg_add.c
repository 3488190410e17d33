/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds values of two runs, of other machines or times: the add hooks of aggs.def. The rules are
 * those of docs/merging.md.
 */
#include "parser/base/arena.h"
#include "runtime/view/agg.h"

bool add_number(struct arena *a, struct view *into, const struct view *from)
{
	into->integer += from->integer;
	return true;
}

/* The order of minima is inverted: the greater one is the smaller value. */
bool add_extreme(struct arena *a, struct view *into, const struct view *from)
{
	if (from->stats.count &&
	    (!into->stats.count || agg_ordered(into->type, from->stats.average) >
					   agg_ordered(into->type, into->stats.average)))
		into->stats = from->stats;
	return true;
}

bool add_average(struct arena *a, struct view *into, const struct view *from)
{
	uint64_t words[2] = {into->stats.total + from->stats.total,
			     into->stats.count + from->stats.count};

	agg_view(into, into->type, words);
	return true;
}

static void add_bucket(const struct type *t, struct view_bucket *into, uint64_t count)
{
	bool is_extreme = agg_is_series(t) && t->scale[2] != SERIES_SUM;

	if (!is_extreme)
		into->count += count;
	else if (agg_ordered(t, count) > agg_ordered(t, into->count))
		into->count = count;
}

/* Add the buckets that `into` has, too. Returns the number of the others. */
static uint32_t add_common(struct view *into, const struct view *from)
{
	struct view_bucket *at = (struct view_bucket *)into->histogram.buckets;
	const struct view_bucket *end = at + into->histogram.n, *b = from->histogram.buckets;
	uint32_t n_new = 0;

	for (uint32_t i = 0; i < from->histogram.n; i++) {
		while (at < end && at->index < b[i].index)
			at++;
		if (at < end && at->index == b[i].index)
			add_bucket(into->type, at, b[i].count);
		else
			n_new++;
	}
	return n_new;
}

/* Both are in ascending order, and so is what is made of them; of equal ones `x` has the sum. */
static void join(struct arena *a, struct view *into, const struct view *from, uint32_t n_new)
{
	uint32_t n = into->histogram.n + n_new, i = 0, k = 0;
	const struct view_bucket *x = into->histogram.buckets, *y = from->histogram.buckets;
	struct view_bucket *all = arena_alloc(a, n * sizeof(*all));

	for (uint32_t at = 0; at < n; at++) {
		bool is_x = k == from->histogram.n ||
			    (i < into->histogram.n && x[i].index <= y[k].index);

		k += is_x && k < from->histogram.n && x[i].index == y[k].index;
		all[at] = is_x ? x[i++] : y[k++];
	}
	into->histogram.buckets = all;
	into->histogram.n = n;
}

bool add_buckets(struct arena *a, struct view *into, const struct view *from)
{
	uint32_t n_new = add_common(into, from);

	if (n_new)
		join(a, into, from, n_new);
	into->histogram.total += from->histogram.total;
	into->histogram.sum += from->histogram.sum;
	if (from->histogram.last > into->histogram.last)
		into->histogram.last = from->histogram.last;
	return true;
}

/* Of averages in a series the counts are not known, and of values that came last the times. */
bool agg_can_add(const struct type *t)
{
	return t->kind == TY_AGG &&
	       (!agg_is_series(t) || (t->scale[2] != SERIES_AVG && t->scale[2] != SERIES_LAST));
}

bool add_series(struct arena *a, struct view *into, const struct view *from)
{
	return agg_can_add(into->type) && add_buckets(a, into, from);
}
