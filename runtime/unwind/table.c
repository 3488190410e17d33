/* SPDX-License-Identifier: Apache-2.0 */
/* The unwind table of an ELF file: see table.h. */
#include "runtime/unwind/table.h"
#include "runtime/unwind/rules.h"
#include <stdlib.h>

int unwind_table_read(int fd, struct unwind_rules *rules, struct unwind_table *out)
{
	(void)fd;
	(void)rules;
	*out = (struct unwind_table){0};
	return -ENOTSUP;
}

int unwind_table_read_image(const void *image, size_t bytes, struct unwind_rules *rules,
			    struct unwind_table *out)
{
	(void)image;
	(void)bytes;
	(void)rules;
	*out = (struct unwind_table){0};
	return -ENOTSUP;
}

void unwind_table_free(struct unwind_table *t)
{
	for (uint32_t i = 0; i < t->n_pieces; i++)
		free(t->pieces[i].words);
	free(t->pieces);
	free(t->segments);
	*t = (struct unwind_table){0};
}

/* The piece that covers the address, or NULL. */
static const struct unwind_piece *find_piece(const struct unwind_table *t, uint64_t address)
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
static uint32_t find_row(const struct unwind_piece *p, uint64_t offset)
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

const struct unwind_rule *unwind_table_rule(const struct unwind_table *t,
					    const struct unwind_rules *rules, uint64_t address)
{
	static const struct unwind_rule none = {.cfa = UNWIND_NO_RULE};
	const struct unwind_piece *p = find_piece(t, address);

	return p ? &rules->list.items[find_row(p, address - p->start)] : &none;
}
