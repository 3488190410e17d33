/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words of the store of unwind tables are free (bpf_helpers/unwind.h). Plain arithmetic: no
 * memory of the store is touched. Words that are returned can be handed out again only after
 * extents_settle(), when no program reads them any more.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct extent {
	uint32_t address, n; /* words */
};

struct extents {
	VEC(struct extent) free;     /* by address, none next to another in one chunk */
	VEC(struct extent) returned; /* still read by programs, perhaps */
	uint64_t n_free, n_returned; /* words */
};

/* Words are handed out in multiples of this, so that arrays of ranges are aligned. */
enum { EXTENT_WORDS = 8 };

/* Take n words within one chunk: the smallest extent that has them. Their address; 0: no such
 * extent. */
uint32_t extents_take(struct extents *e, uint32_t n);
/* Return words. They are free after the next settle. Without memory, they stay in use. */
void extents_return(struct extents *e, uint32_t address, uint32_t n);
/* No program reads what was returned before. */
void extents_settle(struct extents *e);
/* Add a chunk, all of it free. 0 or -ENOMEM. Chunk 0 lacks its first words, since address 0 means
 * none. */
int extents_add_chunk(struct extents *e, uint32_t chunk);
void extents_free(struct extents *e);
