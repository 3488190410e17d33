/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * len() of maps: count the entries.
 */
#include "bpf_helpers/helpers.h"

struct counting {
	uint32_t epoch;
	uint32_t n;
};

/* Count an entry of the current epoch, with which its key begins. Entries of other epochs were
 * cleared or are newer. */
static long count_entry(void *map, const void *key, void *value, void *ctx)
{
	struct counting *c = ctx;

	c->n += *(const uint32_t *)key == c->epoch;
	return 0;
}

INLINE uint64_t sonde_length_map(void *map, uint32_t epoch)
{
	struct counting c = {.epoch = epoch};

	bpf_for_each_map_elem(map, count_entry, &c, 0);
	return c.n;
}
