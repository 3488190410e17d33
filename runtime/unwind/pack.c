/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packer of rows: see pack.h. A block that has only one row shares that row with another block
 * of its piece. A piece ends when its words run out, and before a long gap in the code that rows
 * cover.
 */
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"

/* A gap of this size ends a piece: a gap costs a word for each block, a piece costs a range in each
 * process. */
enum { GAP_BYTES = 1 << 18 };

int pack_begin(struct pack *p)
{
	memset(p, 0, sizeof(*p));
	p->piece = malloc(sizeof(*p->piece)); /* only used pages are ever touched */
	return p->piece ? 0 : -ENOMEM;
}

void pack_free(struct pack *p)
{
	for (size_t i = 0; i < p->pieces.n; i++)
		free(p->pieces.items[i].words);
	vec_free(&p->pieces);
	free(p->piece);
	p->piece = NULL;
}

static void open_piece(struct pack *p, uint64_t start)
{
	struct pack_piece *c = p->piece;

	c->start = start;
	c->n_blocks = c->n_rows = 0;
	memset(c->first_of, 0, sizeof(c->first_of));
	p->is_open = true;
}

static int close_piece(struct pack *p, uint64_t end)
{
	struct pack_piece *c = p->piece;
	struct unwind_piece done = {.start = c->start, .end = end};

	p->is_open = false;
	done.n_words = c->n_blocks + c->n_rows;
	p->n_words += done.n_words;
	if (p->n_words > PACK_WORDS_MAX)
		return -EFBIG;
	done.words = malloc(done.n_words * sizeof(*done.words));
	if (!done.words || vec_push(&p->pieces, done)) {
		free(done.words);
		return -ENOMEM;
	}
	/* the indexes of rows were counted from the first row */
	for (uint32_t i = 0; i < c->n_blocks; i++)
		done.words[i] = c->blocks[i] + c->n_blocks;
	memcpy(done.words + c->n_blocks, c->rows, c->n_rows * sizeof(*c->rows));
	return 0;
}

/* Add the block under construction to the piece, or to a new one if it does not fit. */
static int close_block(struct pack *p)
{
	uint32_t n = p->n_block_rows, rule = UNWIND_ROW_RULE(p->block_rows[0]), first;
	struct pack_piece *c = p->piece;

	if (c->n_blocks + 1 + c->n_rows + n > UNWIND_CHUNK_WORDS) {
		int err = close_piece(p, p->block);

		if (err)
			return err;
		open_piece(p, p->block);
	}
	first = c->first_of[rule];
	if (n > 1 || !first) {
		memcpy(c->rows + c->n_rows, p->block_rows, n * sizeof(*c->rows));
		c->n_rows += n;
		first = c->first_of[rule] = c->n_rows - n + 1;
	}
	c->blocks[c->n_blocks++] = (first - 1) | (n - 1) << 16;
	p->n_block_rows = 0;
	return 0;
}

/* Add a rule that applies from `start` to `end`. */
static int add_code(struct pack *p, uint64_t start, uint64_t end, uint32_t rule)
{
	if (!p->is_open) {
		open_piece(p, start & -(uint64_t)UNWIND_BLOCK_BYTES);
		p->block = p->piece->start;
		if (start != p->block)
			p->block_rows[p->n_block_rows++] = UNWIND_ROW(0, UNWIND_RULE_NONE);
	}
	while (start < end) {
		uint64_t left = UNWIND_BLOCK_BYTES - (start - p->block);
		uint64_t n = end - start < left ? end - start : left;
		uint32_t last = p->n_block_rows ? p->block_rows[p->n_block_rows - 1] : 0;

		if (!p->n_block_rows || UNWIND_ROW_RULE(last) != rule)
			p->block_rows[p->n_block_rows++] = UNWIND_ROW(start - p->block, rule);
		start += n;
		if (n == left) {
			int err = close_block(p);

			if (err)
				return err;
			p->block += UNWIND_BLOCK_BYTES;
		}
	}
	return 0;
}

/* End the piece at `end`, where its last row ends. */
static int end_piece(struct pack *p, uint64_t end)
{
	int err = 0;

	if (!p->is_open)
		return 0;
	if (p->n_block_rows) {
		p->block_rows[p->n_block_rows++] = UNWIND_ROW(end - p->block, UNWIND_RULE_NONE);
		err = close_block(p);
	}
	return err ? err : close_piece(p, end);
}

/* Add the row whose end is now known to be `end`. */
static int add_pending(struct pack *p, uint64_t end)
{
	bool is_gap = p->rule == UNWIND_RULE_NONE;

	if (p->address == end || (is_gap && !p->is_open))
		return 0;
	if (is_gap && end - p->address >= GAP_BYTES)
		return end_piece(p, p->address);
	p->n_rows += p->rule != p->rule_before;
	p->n_unsupported += p->rule != p->rule_before && p->rule == UNWIND_RULE_UNSUPPORTED;
	p->rule_before = p->rule;
	return add_code(p, p->address, end, p->rule);
}

int pack_row(struct pack *p, uint64_t address, uint32_t rule)
{
	int err;

	if (rule == p->rule)
		return 0;
	err = add_pending(p, address);
	p->address = address;
	p->rule = rule;
	return err;
}

int pack_end(struct pack *p, uint64_t address, struct unwind_table *out)
{
	int err = add_pending(p, address);

	if (!err)
		err = end_piece(p, address);
	if (err)
		return err;
	out->pieces = p->pieces.items;
	out->n_pieces = (uint32_t)p->pieces.n;
	out->n_rows = p->n_rows;
	out->n_unsupported = p->n_unsupported;
	memset(&p->pieces, 0, sizeof(p->pieces));
	return 0;
}
