/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up rules in the tables of runtime/unwind/, for the tests of what makes them.
 */
#pragma once
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"

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
