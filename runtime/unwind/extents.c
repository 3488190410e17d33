/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free words of the store: see extents.h.
 */
#include "runtime/unwind/extents.h"
#include "bpf_helpers/unwind.h"

static uint32_t rounded(uint32_t n)
{
	return (n + EXTENT_WORDS - 1) / EXTENT_WORDS * EXTENT_WORDS;
}

uint32_t extents_allocate(struct extents *e, uint32_t n)
{
	struct extent *best = NULL;
	uint32_t address;

	n = rounded(n);
	for (size_t i = 0; n && i < e->free.n; i++) {
		struct extent *x = &e->free.items[i];

		if (x->n >= n && (!best || x->n < best->n))
			best = x;
	}
	if (!best)
		return 0;
	address = best->address;
	best->address += n;
	best->n -= n;
	e->n_free -= n;
	if (!best->n)
		vec_remove(&e->free, (size_t)(best - e->free.items), 1);
	return address;
}

void extents_return(struct extents *e, uint32_t address, uint32_t n)
{
	struct extent x = {address, rounded(n)};

	if (x.n && !vec_push(&e->returned, x))
		e->n_returned += x.n;
}

/* Are two extents adjacent, in one chunk? */
static bool touch(const struct extent *a, const struct extent *b)
{
	return a->address + a->n == b->address && b->address % UNWIND_CHUNK_WORDS;
}

static int add_free(struct extents *e, struct extent x)
{
	size_t i = vec_bound(&e->free, item->address < x.address);
	struct extent *items;

	if (vec_push(&e->free, x)) /* this makes room; the order is restored below */
		return -ENOMEM;
	items = e->free.items;
	memmove(&items[i + 1], &items[i], (e->free.n - 1 - i) * sizeof(*items));
	items[i] = x;
	e->n_free += x.n;
	if (i + 1 < e->free.n && touch(&items[i], &items[i + 1])) {
		items[i].n += items[i + 1].n;
		vec_remove(&e->free, i + 1, 1);
	}
	if (i && touch(&items[i - 1], &items[i])) {
		items[i - 1].n += items[i].n;
		vec_remove(&e->free, i, 1);
	}
	return 0;
}

void extents_settle(struct extents *e)
{
	while (e->returned.n && !add_free(e, e->returned.items[e->returned.n - 1]))
		e->n_returned -= e->returned.items[--e->returned.n].n;
}

int extents_add_chunk(struct extents *e, uint32_t chunk)
{
	struct extent x = {chunk * UNWIND_CHUNK_WORDS, UNWIND_CHUNK_WORDS};

	if (!chunk) {
		x.address += EXTENT_WORDS;
		x.n -= EXTENT_WORDS;
	}
	return add_free(e, x);
}

void extents_free(struct extents *e)
{
	vec_free(&e->free);
	vec_free(&e->returned);
}
