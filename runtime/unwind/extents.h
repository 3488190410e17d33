/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the free words of the store of unwind tables (bpf_helpers/unwind.h), as a sorted list of
 * extents. Only arithmetic: it does not access the store itself. Returned words can be handed out
 * again only after extents_settle(), when no program reads them any more.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdbool.h>

struct extent {
	uint32_t address, n; /* words */
};

struct extents {
	VEC(struct extent) free;     /* sorted by address; no two are adjacent in one chunk */
	VEC(struct extent) returned; /* perhaps still read by programs */
	uint64_t n_free, n_returned; /* words */
};

/* Words are handed out in multiples of this number, so that arrays of ranges are aligned. */
enum { EXTENT_WORDS = 8 };

/* Take n words within one chunk, from the smallest extent that has them. Returns their address; 0:
 * there is no such extent. */
uint32_t extents_allocate(struct extents *e, uint32_t n);
/* Return words, which are free after the next extents_settle(). If there is no memory to note them,
 * they stay in use. */
void extents_return(struct extents *e, uint32_t address, uint32_t n);
/* Free all returned words: no program reads them any more. */
void extents_settle(struct extents *e);
/* Add a chunk, all of it free. The first words of chunk 0 are left out, since address 0 means none.
 * Returns 0 or -ENOMEM. */
int extents_add_chunk(struct extents *e, uint32_t chunk);
void extents_free(struct extents *e);
