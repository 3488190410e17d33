/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs rows, in order of their addresses, into the pieces of a table (bpf_helpers/unwind.h).
 */
#pragma once
#include "runtime/base/vec.h"
#include "runtime/unwind/table.h"

/* limit for one file: 64 MiB; libLLVM has 1.5 million words */
enum { PACK_WORDS_MAX = 16 << 20 };

/* A piece under construction. */
struct pack_piece {
	uint64_t start;
	uint32_t n_blocks, n_rows;
	uint32_t blocks[UNWIND_CHUNK_WORDS], rows[UNWIND_CHUNK_WORDS];
	uint32_t
		first_of[UNWIND_RULES]; /* 1 + index of a row at offset 0 with that rule; 0: none */
};

struct pack {
	VEC(struct unwind_piece) pieces;
	uint64_t n_rows, n_unsupported;
	uint64_t n_words; /* words of all pieces */
	struct pack_piece *piece;
	bool is_open; /* does `piece` have rows? */
	/* the block under construction */
	uint64_t block;
	uint32_t block_rows[UNWIND_BLOCK_BYTES], n_block_rows;
	/* the row whose end is not known yet, and the rule of the one before it */
	uint64_t address;
	uint32_t rule, rule_before;
};

/* Begin a table. Returns 0 or -ENOMEM. Call pack_free() in either case. */
int pack_begin(struct pack *p);
/* Add a row: from `address` on, the rule with index `rule` applies. Addresses must not decrease; of
 * two calls with the same address, the last one counts. Returns 0, -ENOMEM, or -EFBIG: the table
 * has more than PACK_WORDS_MAX words. */
int pack_row(struct pack *p, uint64_t address, uint32_t rule);
/* End the table; the last row ends at `address`. Moves the pieces and the numbers of rows to *out.
 * Returns 0 or -errno. */
int pack_end(struct pack *p, uint64_t address, struct unwind_table *out);
void pack_free(struct pack *p);
