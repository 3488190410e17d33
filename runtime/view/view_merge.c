/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges rows of a snapshot whose keys differ but are shown the same: stacks of several processes,
 * symbols, timestamps formatted by strftime(). In JSON they would be duplicate names, of which most
 * readers keep the last.
 */
#include "runtime/view/agg.h"
#include "runtime/view/map_read.h"
#include "runtime/view/view_compare.h"
#include <errno.h>
#include <stdlib.h>

struct merging {
	const struct plan_map *map;
	struct map_snapshot *rows;
	struct view *keys; /* of all rows */
	uint32_t *order;
	bool *is_gone;
};

/* True if two values of different bytes can be shown the same. */
static bool may_look_alike(const struct type *t)
{
	enum type_shape shape = type_shape(t);

	return t->kind != TY_NAME &&
	       (shape == SHAPE_DEFERRED || shape == SHAPE_STACK || shape == SHAPE_PARTS);
}

static int compare_keys(const struct merging *m, uint32_t a, uint32_t b)
{
	uint32_t n = m->map->n_keys;
	int order = 0;

	for (uint32_t i = 0; !order && i < n; i++)
		order = view_compare(&m->keys[(size_t)a * n + i], &m->keys[(size_t)b * n + i]);
	return order;
}

static int compare_entries(const void *x, const void *y, void *arg)
{
	const uint32_t *a = x, *b = y;
	const struct merging *m = arg;
	int order = compare_keys(m, *a, *b);
	uint32_t i = map_row_bucket(m->map, m->rows, *a), j = map_row_bucket(m->map, m->rows, *b);

	return order ? order : (i > j) - (i < j);
}

/* Among rows that are shown the same, merge each bucket into its first row, and give all one
 * key. */
static void merge_neighbours(const struct merging *m)
{
	const struct plan_map *map = m->map;
	struct map_snapshot *rows = m->rows;
	uint32_t first = m->order[0], kept = first;

	for (uint32_t i = 1; i < rows->n_rows; i++) {
		uint32_t row = m->order[i];

		if (compare_keys(m, first, row)) {
			first = kept = row;
		} else if (map_row_bucket(map, rows, kept) == map_row_bucket(map, rows, row)) {
			agg_merge(map->value, map_row_value(map, rows, kept),
				  map_row_value(map, rows, row), map_n_words(map));
			m->is_gone[row] = true;
		} else {
			memcpy(map_row_key(map, rows, row), map_row_key(map, rows, first),
			       map->bucket_offset);
			kept = row;
		}
	}
}

static void close_ranks(const struct merging *m)
{
	uint32_t n_kept = 0;

	for (uint32_t row = 0; row < m->rows->n_rows; row++) {
		if (m->is_gone[row])
			continue;
		memmove(map_row_key(m->map, m->rows, n_kept), map_row_key(m->map, m->rows, row),
			m->map->key_size);
		memmove(map_row_value(m->map, m->rows, n_kept), map_row_value(m->map, m->rows, row),
			map_row_bytes(m->map));
		n_kept++;
	}
	m->rows->n_rows = n_kept;
}

static void make_keys(const struct merging *m, struct stack_source *stacks)
{
	uint32_t n = m->map->n_keys;

	for (uint32_t row = 0; row < m->rows->n_rows; row++) {
		m->order[row] = row;
		map_row_views(m->map, m->rows, row, stacks, &m->keys[(size_t)row * n]);
	}
}

int map_snapshot_merge(const struct plan_map *map, struct map_snapshot *s,
		       struct stack_source *stacks)
{
	struct merging m = {.map = map, .rows = s};
	bool may = false, has_memory;

	for (uint32_t i = 0; i < map->n_keys; i++)
		may |= may_look_alike(map->keys[i].type);
	if (!may || !map_is_aggregated(map) || s->n_rows < 2)
		return 0;
	m.keys = malloc((size_t)s->n_rows * map->n_keys * sizeof(*m.keys));
	m.order = malloc(s->n_rows * sizeof(*m.order));
	m.is_gone = calloc(s->n_rows, sizeof(*m.is_gone));
	has_memory = m.keys && m.order && m.is_gone;
	if (has_memory) {
		make_keys(&m, stacks);
		qsort_r(m.order, s->n_rows, sizeof(*m.order), compare_entries, &m);
		merge_neighbours(&m);
		close_ranks(&m);
	}
	free(m.keys);
	free(m.order);
	free(m.is_gone);
	return has_memory ? 0 : -ENOMEM;
}
