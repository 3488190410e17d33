/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See last_rows.h. Rows lie in blocks, each behind the time at which it came.
 */
#include "runtime/recording/last_rows.h"
#include "runtime/base/clock.h"
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

enum { BLOCK_BYTES = 1 << 20, BLOCKS = 64 /* 64 MiB */ };

struct row_place {
	uint64_t time, bytes;
};

struct last_block {
	uint64_t newest, n_rows;
	size_t n, capacity; /* bytes; a row that is longer has a block of its own */
	char bytes[];
};

static void drop_oldest(struct last_rows *l)
{
	free(l->blocks.items[0]);
	memmove(l->blocks.items, l->blocks.items + 1, --l->blocks.n * sizeof(*l->blocks.items));
}

/* Drop what is too old, and the oldest block if there is no room for one more. */
static void make_room(struct last_rows *l, uint64_t now)
{
	while (l->blocks.n && now - l->blocks.items[0]->newest > l->length_ns)
		drop_oldest(l);
	if (l->blocks.n < BLOCKS)
		return;
	*l->n_dropped += l->blocks.items[0]->n_rows;
	drop_oldest(l);
}

static struct last_block *add_block(struct last_rows *l, size_t n, uint64_t now)
{
	size_t capacity = MAX(n, (size_t)BLOCK_BYTES);
	struct last_block *b;

	make_room(l, now);
	b = malloc(sizeof(*b) + capacity);
	if (!b || vec_push(&l->blocks, b)) {
		free(b);
		return NULL;
	}
	*b = (struct last_block){.capacity = capacity};
	return b;
}

int last_rows_put(struct last_rows *l, const char *bytes, size_t n)
{
	struct row_place place = {monotonic_ns(), n};
	struct last_block *b = l->blocks.n ? l->blocks.items[l->blocks.n - 1] : NULL;

	if (!b || sizeof(place) + n > b->capacity - b->n)
		b = add_block(l, sizeof(place) + n, place.time);
	if (!b)
		return -ENOMEM;
	memcpy(b->bytes + b->n, &place, sizeof(place));
	memcpy(b->bytes + b->n + sizeof(place), bytes, n);
	b->n += sizeof(place) + n;
	b->newest = place.time;
	b->n_rows++;
	return 0;
}

static int dump_block(const struct last_block *b, uint64_t oldest, struct spool *to)
{
	struct row_place place;
	int err = 0;

	for (size_t at = 0; at < b->n && !err; at += sizeof(place) + place.bytes) {
		memcpy(&place, b->bytes + at, sizeof(place));
		if (place.time >= oldest)
			err = spool_put(to, b->bytes + at + sizeof(place), place.bytes);
	}
	return err;
}

int last_rows_dump(struct last_rows *l, struct spool *to)
{
	uint64_t now = monotonic_ns(), oldest = now > l->length_ns ? now - l->length_ns : 0;
	int err = 0;

	for (size_t i = 0; i < l->blocks.n && !err; i++)
		err = dump_block(l->blocks.items[i], oldest, to);
	while (l->blocks.n)
		free(l->blocks.items[--l->blocks.n]);
	return err;
}

void last_rows_free(struct last_rows *l)
{
	while (l->blocks.n)
		free(l->blocks.items[--l->blocks.n]);
	vec_free(&l->blocks);
}
