/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a map snapshot: see map_rows.h.
 */
#include "runtime/view/map_rows.h"
#include "runtime/base/hash.h"
#include "runtime/view/agg.h"

void map_merge_cpus(const struct reading *r, uint64_t *words, const uint8_t *value)
{
	for (uint32_t cpu = 0; cpu < r->n_parts; cpu++)
		agg_merge(r->map->value, words, value + cpu * r->stride, map_n_words(r->map));
}

/* ---- rows ---------------------------------------------------------------------------- */

/* The columns of the snapshot share one capacity, and item sizes are known only at run time, so
 * this is not a vec. */
int map_grow_bytes(void *array, size_t n, size_t size)
{
	void *old, *grown;

	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, n, size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

int map_rows_reserve(struct reading *r, uint32_t capacity)
{
	int err = 0;

	if (!is_array(r->map))
		err = map_grow_bytes(&r->rows.keys, capacity, r->map->key_size);
	if (!err)
		err = map_grow_bytes(&r->rows.values, capacity, map_row_bytes(r->map));
	if (!err)
		r->capacity = capacity;
	return err;
}

void map_row_set_value(struct reading *r, uint32_t i, const uint8_t *value)
{
	if (map_is_aggregated(r->map)) {
		memset(row_value(r, i), 0, map_row_bytes(r->map));
		map_merge_cpus(r, row_value(r, i), value);
	} else {
		memcpy(row_value(r, i), value, r->map->value_size);
	}
}

int map_rows_add(struct reading *r, const uint8_t *key, const uint8_t *value)
{
	uint32_t i = r->rows.n_rows;

	if (!is_requested(r, key_epoch(key)))
		return 0;
	if (i == r->capacity) {
		int err = map_rows_reserve(r, i > 0 ? 2 * i : 64);
		if (err)
			return err;
	}
	memcpy(row_key(r, i), key, r->map->key_size);
	map_row_set_value(r, i, value);
	r->rows.n_rows++;
	return 0;
}

/* ---- merging rows of equal keys ------------------------------------------------------------ */

static void row_copy(struct reading *r, uint32_t to, uint32_t from)
{
	if (to == from)
		return;
	memcpy(row_key(r, to), row_key(r, from), r->map->key_size);
	memcpy(row_value(r, to), row_value(r, from), map_row_bytes(r->map));
}

/* Rows `to` and `from` have equal keys. If both are of one epoch, the entry was read twice, and the
 * later value replaces the earlier one. For two epochs see map_snapshot_read(). */
static void row_fold(struct reading *r, uint32_t to, uint32_t from)
{
	uint32_t to_epoch = key_epoch(row_key(r, to)), from_epoch = key_epoch(row_key(r, from));

	if (to_epoch != from_epoch && map_is_aggregated(r->map))
		agg_merge(r->map->value, row_value(r, to), row_value(r, from), map_n_words(r->map));
	else if ((int32_t)(from_epoch - to_epoch) >= 0)
		row_copy(r, to, from);
}

/* Hash table of rows by the compared part of their keys. Values are row + 1. */
HASH_TABLE(row_index, uint32_t);

struct key_part {
	const uint8_t *bytes;
	size_t n;
};

struct kept_rows {
	struct row_index index;
	const struct reading *r;
	size_t skip; /* bytes of the key */
};

static struct key_part key_part(const struct kept_rows *k, uint32_t row)
{
	return (struct key_part){row_key(k->r, row) + k->skip, k->r->map->key_size - k->skip};
}

HASH_FUNCTIONS(row_index, uint32_t, struct key_part, hash_bytes(key.bytes, key.n),
	       memcmp(a.bytes, b.bytes, a.n) == 0,
	       key_part(HASH_TABLE_OWNER(h, struct kept_rows, index), *e - 1), *e)

int map_rows_fold(struct reading *r, size_t skip)
{
	struct kept_rows kept = {.r = r, .skip = skip};
	uint32_t n_kept = 0;
	/* At most half full, because each probe of a wrong slot reads a row. */
	int err = row_index_reserve(&kept.index, r->rows.n_rows + (size_t)r->rows.n_rows / 2);

	for (uint32_t i = 0; i < r->rows.n_rows && !err; i++) {
		const uint32_t *row = row_index_find(&kept.index, key_part(&kept, i));

		if (row) {
			row_fold(r, *row - 1, i);
		} else {
			row_copy(r, n_kept, i);
			err = row_index_insert(&kept.index, ++n_kept);
		}
	}
	if (!err)
		r->rows.n_rows = n_kept;
	hash_free(&kept.index);
	return err;
}
