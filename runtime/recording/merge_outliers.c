/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --outliers: of each key the host whose value is farthest from the median of all: see merge.h.
 */
#include "runtime/recording/merge_impl.h"
#include "parser/lang/agg.h"
#include "runtime/base/log.h"
#include "runtime/view/view_compare.h"

/* The number that is compared: of a histogram the mean. False: there is none. */
static bool number_of(const struct view *v, int64_t *out)
{
	if (type_shape(v->type) == SHAPE_AGG && agg_has_buckets(v->type)) {
		*out = v->histogram.total ? (int64_t)v->histogram.sum / (int64_t)v->histogram.total
					  : 0;
		return !agg_is_series(v->type);
	}
	*out = (int64_t)v->integer; /* of avg and stats the average */
	return type_shape(v->type) == SHAPE_INT || type_shape(v->type) == SHAPE_AGG;
}

/* Order by the keys after those that identify the run, then by number. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct view_row *a = x, *b = y;
	const struct merged_map *map = arg;
	int64_t i, k;

	for (uint32_t n = map->n_apart; n < map->view.n_keys; n++) {
		int order = view_compare(&a->keys[n], &b->keys[n]);

		if (order)
			return order;
	}
	number_of(&a->value, &i);
	number_of(&b->value, &k);
	return (i > k) - (i < k);
}

static bool have_one_key(const struct merged_map *map, const struct view_row *a,
			 const struct view_row *b)
{
	for (uint32_t n = map->n_apart; n < map->view.n_keys; n++)
		if (view_compare(&a->keys[n], &b->keys[n]))
			return false;
	return true;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Of `n` rows in ascending order. Hosts that do not have the key count and sum nothing. */
static int64_t median(const struct view_row *rows, size_t n, size_t n_zeros)
{
	size_t at = (n + n_zeros - 1) / 2;
	int64_t x = 0;

	if (at >= n_zeros)
		number_of(&rows[at - n_zeros].value, &x);
	return x;
}

static size_t zeros(const struct merge *m, const struct type *t, size_t n)
{
	bool is_count = t->kind == TY_AGG && agg_rows[t->agg].layout == AL_SUM && !t->is_signed;

	return is_count && m->values.n > n ? m->values.n - n : 0;
}

static const struct type *pair_type(struct arena *a)
{
	struct type_member *members = arena_alloc(a, 2 * sizeof(*members));

	members[0] = (struct type_member){.name = "value", .type = type_int(8, true)};
	members[1] = (struct type_member){.name = "median", .type = type_int(8, true)};
	return type_tuple(a, true, members, 2);
}

/* The first or the last of the rows, with its value and the median. */
static struct view_row farthest(struct merge *m, const struct type *pair,
				const struct view_row *rows, size_t n, size_t n_zeros)
{
	int64_t middle = median(rows, n, n_zeros), first, last;
	struct view *parts = arena_alloc(m->arena, 2 * sizeof(*parts));
	struct view_row found;
	bool is_last;

	number_of(&rows[0].value, &first);
	number_of(&rows[n - 1].value, &last);
	is_last = distance(last, middle) >= distance(first, middle);
	parts[0] = (struct view){.type = type_int(8, true),
				 .integer = (uint64_t)(is_last ? last : first)};
	parts[1] = (struct view){.type = type_int(8, true), .integer = (uint64_t)middle};
	found = rows[is_last ? n - 1 : 0];
	found.value = (struct view){.type = pair, .compound.parts = parts};
	return found;
}

/* The greatest distance comes last, as the greatest value of a map does. */
static int compare_distance(const void *x, const void *y)
{
	const struct view_row *a = x, *b = y;
	uint64_t i = distance((int64_t)a->value.compound.parts[0].integer,
			      (int64_t)a->value.compound.parts[1].integer),
		 k = distance((int64_t)b->value.compound.parts[0].integer,
			      (int64_t)b->value.compound.parts[1].integer);

	return (i > k) - (i < k);
}

void merge_outliers(struct merge *m, struct merged_map *map)
{
	struct view_map *v = &map->view;
	const struct type *t = map->types[v->n_keys], *pair = pair_type(m->arena);
	uint32_t n = v->n_rows, n_found = 0, end;
	int64_t number;

	v->n_rows = 0;
	if (n && !number_of(&v->rows[0].value, &number)) {
		log_warning("--outliers: '%s' has no numbers to compare, and is left out", v->name);
		return;
	}
	qsort_r(v->rows, n, sizeof(*v->rows), compare, map);
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && have_one_key(map, &v->rows[i], &v->rows[end]);)
			end++;
		v->rows[n_found++] = farthest(m, pair, &v->rows[i], end - i, zeros(m, t, end - i));
	}
	v->n_rows = n_found;
	qsort(v->rows, n_found, sizeof(*v->rows), compare_distance);
}
