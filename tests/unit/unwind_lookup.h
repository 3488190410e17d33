/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up rules in the tables of runtime/unwind/, for the tests of what makes them.
 */
#pragma once
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"
#include <assert.h>

/* The piece that covers the address, or NULL. */
static inline const struct unwind_piece *find_piece(const struct unwind_table *t, uint64_t address)
{
	uint32_t first = 0, n = t->n_pieces;

	while (n) {
		const struct unwind_piece *p = &t->pieces[first + n / 2];

		if (address - p->start < p->end - p->start)
			return p;
		if (address >= p->end) {
			first += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return NULL;
}

/* The index of the rule for the code at `offset` of a piece. */
static inline uint32_t find_row(const struct unwind_piece *p, uint64_t offset)
{
	uint32_t block = p->words[offset >> UNWIND_BLOCK_BITS], n = UNWIND_BLOCK_ROWS(block);
	const uint32_t *row = p->words + UNWIND_BLOCK_FIRST(block);

	offset &= UNWIND_BLOCK_BYTES - 1;
	while (n > 1) {
		if (UNWIND_ROW_OFFSET(row[n / 2]) <= offset)
			row += n / 2;
		n -= n / 2;
	}
	return UNWIND_ROW_RULE(*row);
}

/* The rule for an address as linked, found by the packed words as a program in the kernel finds it.
 * UNWIND_NO_RULE if no row covers it; never NULL. */
static inline const struct unwind_rule *
unwind_table_rule(const struct unwind_table *t, const struct unwind_rules *rules, uint64_t address)
{
	static const struct unwind_rule none = {.cfa = UNWIND_NO_RULE};
	const struct unwind_piece *p = find_piece(t, address);

	return p ? &rules->list.items[find_row(p, address - p->start)] : &none;
}

static inline void unwind_block_check(const struct unwind_piece *p, uint32_t block,
				      uint32_t n_blocks, const struct unwind_rules *rules)
{
	uint32_t first = UNWIND_BLOCK_FIRST(p->words[block]), before = 0;
	uint32_t n = UNWIND_BLOCK_ROWS(p->words[block]);

	assert(first >= n_blocks && first + n <= p->n_words);
	assert(UNWIND_ROW_OFFSET(p->words[first]) == 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = p->words[first + i];

		assert(UNWIND_ROW_RULE(row) < rules->list.n);
		assert(UNWIND_ROW_OFFSET(row) < UNWIND_BLOCK_BYTES);
		assert(!i || UNWIND_ROW_OFFSET(row) > before);
		before = UNWIND_ROW_OFFSET(row);
	}
}

/* Assert that a program in the kernel can search the table, whatever it was made of. */
static inline void unwind_table_check(const struct unwind_table *t,
				      const struct unwind_rules *rules)
{
	for (uint32_t i = 0; i < t->n_pieces; i++) {
		const struct unwind_piece *p = &t->pieces[i];
		uint64_t n_blocks =
			(p->end - p->start + UNWIND_BLOCK_BYTES - 1) / UNWIND_BLOCK_BYTES;

		assert(p->start % UNWIND_BLOCK_BYTES == 0 && p->start < p->end);
		assert(!i || p[-1].end <= p->start);
		assert(n_blocks < p->n_words && p->n_words <= UNWIND_CHUNK_WORDS);
		for (uint32_t block = 0; block < n_blocks; block++)
			unwind_block_check(p, block, (uint32_t)n_blocks, rules);
		assert(unwind_table_rule(t, rules, p->start));
	}
	assert(rules->list.n <= UNWIND_RULES);
}
