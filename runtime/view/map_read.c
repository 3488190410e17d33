/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of maps. Reads a map by its descriptor and its row in the plan into a struct
 * map_snapshot: keys as in the kernel, words of aggregations merged over all CPUs, without
 * entries of other epochs. view_map.c sorts and makes views.
 *
 * Hashes are read in batches. The kernel walks bucket by bucket and locks each, so it returns an
 * entry once whatever else happens in the map. It returns -ENOSPC for a bucket that does not fit an
 * empty buffer: the buffer grows and the lookup is repeated. On kernels without batches the walk is
 * key by key; if the current key is deleted meanwhile, the walk starts over, and duplicates are
 * merged.
 */
#include "runtime/view/map_read.h"
#include "runtime/view/map_rows.h"
#include "runtime/view/agg.h"
#include "runtime/base/map_calls.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

enum {
	BATCH_BYTES = 256 * 1024,
	BUSY_TRIES = 10000,    /* a bucket was locked: retry this often in a row */
	KERNEL_ENOTSUPP = 524, /* the kernel's internal ENOTSUPP, which errno.h lacks */
};

static int reading_init(struct reading *r, const struct plan_map *m, int fd, uint32_t oldest,
			uint32_t newest)
{
	int n_parts = m->n_slots ? (int)m->n_slots : 1;

	if (m->kind == PM_PERCPU_ARRAY)
		n_parts = libbpf_num_possible_cpus();
	if (n_parts < 0)
		return n_parts;
	*r = (struct reading){
		.map = m,
		.fd = fd,
		.oldest = oldest,
		.newest = newest,
		.n_parts = (uint32_t)n_parts,
		.stride = m->n_slots ? m->slot_bytes : m->value_size,
	};
	return 0;
}

/* ---- hashes, in batches -------------------------------------------------------------- */

struct batch {
	uint8_t *keys, *values;
	uint32_t size; /* capacity in elements */
	uint32_t from; /* the next bucket */
	bool is_begun;
	uint32_t n_busy;
};

static int batch_reserve(const struct reading *r, struct batch *b, uint32_t size)
{
	int err = map_grow_bytes(&b->keys, size, r->map->key_size);

	if (!err)
		err = map_grow_bytes(&b->values, size, element_bytes(r));
	if (!err)
		b->size = size;
	return err;
}

/* A bucket holds at most the entries of the map and a few that are being replaced. One that still
 * does not fit is an error; else the buffer would grow without end. */
static int batch_grow(const struct reading *r, struct batch *b)
{
	if (b->size / 2 > r->map->max_entries + r->n_parts)
		return -ENOSPC;
	return batch_reserve(r, b, 2 * b->size);
}

/* Errors with which the kernel returns part of the entries and a position to continue from. */
static bool is_busy(int err)
{
	return err == -EBUSY || err == -EDEADLK || err == -ETIMEDOUT;
}

/* One lookup. 0: continue; -ENOENT: everything has been read. */
static int batch_read(struct reading *r, struct batch *b)
{
	uint32_t n = b->size, next = 0;
	int err = map_lookup_batch(r->fd, b->is_begun ? &b->from : NULL, &next, b->keys, b->values,
				   &n);

	if (err == -ENOSPC)
		return batch_grow(r, b);
	if (err && err != -ENOENT && !is_busy(err))
		return err;
	b->n_busy = is_busy(err) ? b->n_busy + 1 : 0;
	if (b->n_busy > BUSY_TRIES)
		return err;
	for (uint32_t i = 0; i < n; i++) {
		int add_err = map_rows_add(r, b->keys + (size_t)i * r->map->key_size,
					   b->values + i * element_bytes(r));
		if (add_err)
			return add_err;
	}
	b->from = next;
	b->is_begun = true;
	return err == -ENOENT ? err : 0;
}

static int walk_batches(struct reading *r)
{
	struct batch b = {.size = 0};
	size_t fit = BATCH_BYTES / (r->map->key_size + element_bytes(r));
	int err = batch_reserve(r, &b, (uint32_t)MAX(MIN(fit, r->map->max_entries), 1));

	while (!err)
		err = batch_read(r, &b);
	/* An unknown command, or a map type without batches: only the first call can fail so. */
	if ((err == -EINVAL || err == -KERNEL_ENOTSUPP) && !b.is_begun)
		err = -EOPNOTSUPP;
	free(b.keys);
	free(b.values);
	return err == -ENOENT ? 0 : err;
}

/* ---- hashes, key by key -------------------------------------------------------------- */

static int walk_keys(struct reading *r)
{
	uint32_t key_size = r->map->key_size;
	uint64_t steps = 8 * (uint64_t)r->map->max_entries + 4096;
	uint8_t *value = malloc(element_bytes(r));
	uint8_t *keys = malloc(2 * (size_t)key_size);
	uint8_t *key = NULL, *next = keys;
	int err = value && keys ? 0 : -ENOMEM;

	while (!err) {
		err = map_next_key(r->fd, key, next);
		if (err)
			break;
		err = map_lookup(r->fd, next, value);
		if (!err)
			err = map_rows_add(r, next, value);
		else if (err == -ENOENT)
			err = 0; /* deleted meanwhile */
		if (!err && steps-- == 0)
			err = -EAGAIN; /* the walk started over too often */
		key = next;
		next = key == keys ? keys + key_size : keys;
	}
	free(keys);
	free(value);
	return err == -ENOENT ? map_rows_fold(r, 0) : err;
}

static int walk_hash(struct reading *r)
{
	int err = walk_batches(r);

	if (err == -EOPNOTSUPP)
		err = walk_keys(r);
	return err;
}

/* ---- arrays -------------------------------------------------------------------------- */

static bool is_touched(const struct reading *r, const uint8_t *value)
{
	uint64_t touched = 0;

	for (uint32_t cpu = 0; cpu < r->n_parts; cpu++)
		touched |= load_u64(value + cpu * r->stride + r->map->touched_offset);
	return touched != 0;
}

/* The single row of an array, from the oldest epoch to the newest: aggregations are merged, of
 * plain values the newest is kept. */
static void array_add(struct reading *r, const uint8_t *value)
{
	if (map_is_aggregated(r->map) && r->rows.n_rows > 0)
		map_merge_cpus(r, row_value(r, 0), value);
	else
		map_row_set_value(r, 0, value);
	r->rows.n_rows = 1;
}

static int walk_array(struct reading *r)
{
	uint32_t n = MIN(r->newest - r->oldest, SONDE_EPOCH_SLOTS - 1u);
	uint8_t *value = malloc(element_bytes(r));
	int err = value ? map_rows_reserve(r, 1) : -ENOMEM;

	for (uint32_t i = 0; !err && i <= n; i++) {
		uint32_t slot = (r->newest - n + i) % SONDE_EPOCH_SLOTS;
		err = map_lookup(r->fd, &slot, value);
		if (!err && is_touched(r, value))
			array_add(r, value);
	}
	free(value);
	return err;
}

/* ---- snapshots ----------------------------------------------------------------------- */

int map_snapshot_read(const struct plan_map *m, int fd, uint32_t oldest, uint32_t epoch,
		      struct map_snapshot *out)
{
	struct reading r;
	int err = reading_init(&r, m, fd, oldest, epoch);

	if (err)
		return err;
	err = is_array(m) ? walk_array(&r) : walk_hash(&r);
	if (!err && !is_array(m) && oldest != epoch)
		err = map_rows_fold(&r, sizeof(uint32_t));
	if (err)
		map_snapshot_free(&r.rows);
	else
		*out = r.rows;
	return err;
}

void map_snapshot_free(struct map_snapshot *s)
{
	if (!s)
		return;
	free(s->keys);
	free(s->values);
	*s = (struct map_snapshot){.n_rows = 0};
}

int map_snapshot_add_zero(const struct plan_map *m, struct map_snapshot *s)
{
	if (m->n_keys || s->n_rows > 0)
		return 0;
	map_snapshot_free(s); /* memory that was reserved for rows */
	s->keys = is_array(m) ? NULL : calloc(1, m->key_size);
	s->value_bytes = calloc(1, map_row_bytes(m));
	if (!s->value_bytes || (!is_array(m) && !s->keys))
		return -ENOMEM;
	s->n_rows = 1;
	return 0;
}

/* ---- deleting ------------------------------------------------------------------------ */

/* The slot of `epoch` is in use; skip an older epoch that shares it. */
static int delete_slots(struct reading *r, uint32_t epoch)
{
	uint32_t n = MIN(epoch - r->oldest, SONDE_EPOCH_SLOTS - 1u);
	uint8_t *zeros = calloc(1, element_bytes(r));
	int err = zeros ? 0 : -ENOMEM;

	for (uint32_t i = 1; !err && i <= n; i++) {
		uint32_t slot = (epoch - i) % SONDE_EPOCH_SLOTS;
		err = map_update(r->fd, &slot, zeros, BPF_ANY);
	}
	free(zeros);
	return err;
}

static int delete_one(int fd, const uint8_t *key)
{
	int err, tries = 0;

	do
		err = map_delete(fd, key);
	while (is_busy(err) && tries++ < BUSY_TRIES);
	return err == -ENOENT ? 0 : err;
}

/* A batch ends early at a key that is gone or locked; that key is then deleted alone. */
static int delete_rows(const struct reading *r)
{
	uint32_t i = 0;
	int err = 0;

	while (!err && i < r->rows.n_rows) {
		uint32_t n_left = r->rows.n_rows - i, n = n_left;
		err = map_delete_batch(r->fd, row_key(r, i), &n);
		if (!err || err == -ENOENT || is_busy(err))
			i += MIN(n, n_left); /* n is undefined after other errors */
		if (err && i < r->rows.n_rows)
			err = delete_one(r->fd, row_key(r, i++));
	}
	return err;
}

int map_delete_before(const struct plan_map *m, int fd, uint32_t oldest, uint32_t epoch)
{
	struct reading r;
	int err = reading_init(&r, m, fd, oldest, epoch - 1);

	if (err)
		return err;
	if (is_array(m))
		return delete_slots(&r, epoch);
	r.oldest = epoch - (1u << 31); /* also entries added late to any earlier epoch */
	err = walk_hash(&r) ?: delete_rows(&r);
	map_snapshot_free(&r.rows);
	return err;
}

/* ---- zero() -------------------------------------------------------------------------- */

int map_insert_zeros(const struct plan_map *m, int fd, const struct map_snapshot *s, uint32_t epoch)
{
	struct reading r;
	uint8_t *zeros, *key;
	int err = reading_init(&r, m, fd, epoch, epoch);

	if (err || is_array(m))
		return err;
	zeros = calloc(1, element_bytes(&r));
	key = malloc(m->key_size);
	err = zeros && key ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < s->n_rows; i++) {
		memcpy(key, s->keys + (size_t)i * m->key_size, m->key_size);
		memcpy(key, &epoch, sizeof(epoch));
		err = map_update(fd, key, zeros, BPF_NOEXIST);
		if (err == -EEXIST)
			err = 0;
	}
	free(key);
	free(zeros);
	return err;
}
