/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs rows, in order of their addresses, into the pieces of a table (bpf_helpers/unwind.h).
 */
#pragma once
#include <stdint.h>
#include "bpf_helpers/unwind.h"
#include "runtime/base/vec.h"
#include "runtime/unwind/table.h"

enum { PACK_WORDS_MAX = 16 << 20 }; /* of a file: 64 MiB; libLLVM has 1.5 million */

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
	uint64_t n_words; /* of all pieces */
	struct pack_piece *piece;
	bool is_open; /* does `piece` have rows? */
	/* the block under construction */
	uint64_t block;
	uint32_t block_rows[UNWIND_BLOCK_BYTES], n_block_rows;
	/* the row whose end is not known yet, and the rule of the one before it */
	uint64_t address;
	uint32_t rule, rule_before;
};

/* 0 or -ENOMEM. Call pack_free() in either case. */
int pack_begin(struct pack *p);
/* From `address` on, the rule with index `rule` counts. Addresses must not fall; of two calls with
 * the same, the last counts. 0, -ENOMEM, or -EFBIG: more than PACK_WORDS_MAX. */
int pack_row(struct pack *p, uint64_t address, uint32_t rule);
/* The last row ends at `address`. Moves the pieces and the numbers of rows to *out. 0 or -errno. */
int pack_end(struct pack *p, uint64_t address, struct unwind_table *out);
void pack_free(struct pack *p);
