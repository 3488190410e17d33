/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a map snapshot while it is read: shared by map_read.c, which reads the kernel's map,
 * and map_rows.c, which collects the rows and merges those with equal keys.
 */
#pragma once
#include "runtime/view/map_read.h"

/* A map that is being read: the requested entries, and the rows so far. */
struct reading {
	const struct plan_map *map;
	int fd;
	uint32_t oldest, newest; /* epochs */
	uint32_t n_parts;	 /* per-CPU parts of a value; 1 for plain values */
	size_t stride;		 /* bytes from one to the next */
	struct map_snapshot rows;
	uint32_t capacity; /* of rows */
};

static inline bool is_array(const struct plan_map *m)
{
	return m->kind == PM_ARRAY || m->kind == PM_PERCPU_ARRAY;
}

/* Size in bytes of the value of an element as the kernel returns it. */
static inline size_t element_bytes(const struct reading *r)
{
	return r->map->n_slots ? r->map->value_size : r->stride * r->n_parts;
}

static inline uint64_t load_u64(const uint8_t *bytes)
{
	uint64_t x;

	memcpy(&x, bytes, sizeof(x));
	return x;
}

static inline uint32_t key_epoch(const uint8_t *key)
{
	uint32_t epoch;

	memcpy(&epoch, key, sizeof(epoch));
	return epoch;
}

/* Epochs wrap around; their distance does not. */
static inline bool is_requested(const struct reading *r, uint32_t epoch)
{
	return epoch - r->oldest <= r->newest - r->oldest;
}

static inline uint8_t *row_key(const struct reading *r, uint32_t i)
{
	return map_row_key(r->map, &r->rows, i);
}

static inline void *row_value(const struct reading *r, uint32_t i)
{
	return map_row_value(r->map, &r->rows, i);
}

/* map_rows.c */

/* Reallocate *array (a pointer of any type) for n items. 0, or -ENOMEM with *array unchanged. */
int map_grow_bytes(void *array, size_t n, size_t size);

/* Allocate memory for that many rows. 0 or -ENOMEM. */
int map_rows_reserve(struct reading *r, uint32_t capacity);
/* Set the value of row i, merging the words of all CPUs. */
void map_row_set_value(struct reading *r, uint32_t i, const uint8_t *value);
/* Add all CPUs' values to the words. */
void map_merge_cpus(const struct reading *r, uint64_t *words, const uint8_t *value);
/* Add an element of a hash if its epoch is requested. 0 or -ENOMEM. */
int map_rows_add(struct reading *r, const uint8_t *key, const uint8_t *value);
/* Merge rows whose keys are equal from byte `skip` on. 0 or -ENOMEM. */
int map_rows_fold(struct reading *r, size_t skip);
