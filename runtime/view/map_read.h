/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of maps: read in batches where the kernel has them, with per-CPU values merged over all
 * possible CPUs and without entries of other epochs.
 */
#pragma once
#include "runtime/view/view.h"

struct map_snapshot {
	uint32_t n_rows;
	uint8_t *keys; /* hashes: n_rows * plan_map.key_size, as in the kernel (epoch first) */
	union {
		uint64_t *values;     /* aggregations: n_rows * plan_map.n_words merged words */
		uint8_t *value_bytes; /* plain values: n_rows * plan_map.value_size */
	};
};

static inline bool map_is_aggregated(const struct plan_map *m)
{
	return m->kind == PM_SLOT_HASH || m->kind == PM_PERCPU_ARRAY;
}

/* Words of an aggregation's value. */
static inline uint32_t map_n_words(const struct plan_map *m)
{
	return m->n_words ? m->n_words : 1;
}

/* Of the value of a row. */
static inline size_t map_row_bytes(const struct plan_map *m)
{
	return map_is_aggregated(m) ? map_n_words(m) * sizeof(uint64_t) : m->value_size;
}

static inline uint8_t *map_row_key(const struct plan_map *m, const struct map_snapshot *s,
				   uint32_t row)
{
	return s->keys + (size_t)row * m->key_size;
}

/* Words or bytes. */
static inline void *map_row_value(const struct plan_map *m, const struct map_snapshot *s,
				  uint32_t row)
{
	return s->value_bytes + row * map_row_bytes(m);
}

/* Keyed histograms have a row for each bucket, whose number is in the key. */
static inline uint32_t map_row_bucket(const struct plan_map *m, const struct map_snapshot *s,
				      uint32_t row)
{
	uint32_t bucket = 0;

	if (m->bucket_offset)
		memcpy(&bucket, map_row_key(m, s, row) + m->bucket_offset, sizeof(bucket));
	return bucket;
}

/* Read the entries of the epochs `oldest` to `epoch` (of arrays: their slots). A key found in
 * several epochs is one row: aggregations are merged, of plain values the newest is kept. 0, or
 * -errno with *out unchanged. Free with map_snapshot_free(). */
int map_snapshot_read(const struct plan_map *m, int fd, uint32_t oldest, uint32_t epoch,
		      struct map_snapshot *out);
void map_snapshot_free(struct map_snapshot *s);
/* For print(@x) of a map without keys: add a row of zeros if it was never written. 0 or -errno. */
int map_snapshot_add_zero(const struct plan_map *m, struct map_snapshot *s);
/* Delete the entries of epochs before `epoch` (arrays: zero the slots of oldest … epoch - 1).
 * 0 or -errno. */
int map_delete_before(const struct plan_map *m, int fd, uint32_t oldest, uint32_t epoch);
/* Insert the keys of `s` with a value of 0 in `epoch` unless they are there. 0 or -errno. */
int map_insert_zeros(const struct plan_map *m, int fd, const struct map_snapshot *s,
		     uint32_t epoch);
/* view_map.c: make the views of a row's keys. */
void map_row_views(const struct plan_map *m, const struct map_snapshot *s, uint32_t row,
		   struct stack_source *stacks, struct view *keys);
/* view_merge.c: merge rows of an aggregation whose keys are shown the same. 0 or -errno. */
int map_snapshot_merge(const struct plan_map *m, struct map_snapshot *s,
		       struct stack_source *stacks);
/* Sort and make views. Everything in *out is in one block that view_map_free() frees; views of
 * strings point into the snapshot, which must outlive them. 0 or -errno. */
int view_map_make(const struct plan_map *m, const struct map_snapshot *s,
		  struct stack_source *stacks, struct view_map *out);
/* Put rows that were made elsewhere in this order; `m` has the type of the value. */
void view_map_sort(struct view_map *v, const struct plan_map *m);
/* How the configuration wants it to be shown; before rows are removed. `divisor` is that of
 * print(@m, top, div), 0 or 1 for none. */
void view_map_choose(struct view_map *v, const struct config *c, uint64_t divisor);
/* print(@m, top, div): keep the last `top` rows (0: all) and divide their values (unless 0 or
 * 1). */
void view_map_limit(struct view_map *v, uint32_t top, uint64_t divisor);
/* Keep the rows whose key, as text, has `text` in it. */
void view_map_filter(struct view_map *v, const char *text);
/* Put the rows in the order that the map's row in the plan demands (--sort). */
void view_map_order(struct view_map *v, const struct plan_map *m);
void view_map_free(struct view_map *v);
