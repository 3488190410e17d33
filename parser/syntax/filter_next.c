/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands the filter's tokens to the grammar (filter.h), and decides where the grammar continues
 * after a syntax error: after the statement, at the end of the predicate, or at the next probe.
 */
#include "parser/syntax/filter.h"
#include "parser.tab.h"

uint32_t filter_next(struct filter *f, bool *resume)
{
	*resume = f->resumes;
	if (f->resumes) {
		f->resumes = false;
		return f->next;
	}
	f->current = f->next;
	if (f->next + 1 < f->n_tokens)
		f->next++;
	return f->current;
}

uint32_t filter_region(const struct filter *f, uint32_t i)
{
	uint32_t at = f->tokens[i].inside;

	while (at != NO_TOKEN &&
	       (f->tokens[at].kind == TOK_LPAREN || f->tokens[at].kind == TOK_LSQUARE ||
		f->tokens[at].kind == TOK_CAST_OPEN || f->tokens[at].kind == TOK_TYPE_OPEN ||
		f->tokens[at].kind == TOK_RECORD_OPEN))
		at = f->tokens[at].inside;
	return at;
}

/* The token after the statement that contains token `i`, in the block opened at `block`. */
static uint32_t end_of_statement(const struct filter *f, uint32_t i, uint32_t block)
{
	for (uint32_t end = f->tokens[block].partner; i < end; i++) {
		const struct token *t = &f->tokens[i];
		bool is_end = t->inside == block && t->kind == TOK_SEMI;

		if (t->kind == TOK_RBRACE && f->tokens[t->partner].inside == block &&
		    f->tokens[t->partner].kind != TOK_VALUE_OPEN)
			is_end = f->tokens[i + 1].kind != TOK_ELSE;
		if (is_end)
			return i + 1;
	}
	return i;
}

static bool opens_block(const struct filter *f, uint32_t i)
{
	int kind = f->tokens[i].kind;

	return f->tokens[i].inside == NO_TOKEN &&
	       (kind == TOK_LBRACE || kind == TOK_ANGLE_OPEN || kind == TOK_PRED_OPEN);
}

/* The head of the next probe from token `i` on; the token after the next block when it has no
 * head. */
static uint32_t next_probe(const struct filter *f, uint32_t i)
{
	uint32_t end = f->n_tokens - 1, opener = i, head;

	while (opener < end && !opens_block(f, opener)) {
		if (f->tokens[opener].kind == TOK_PARAM_ITEM && opener > i)
			return opener;
		opener++;
	}
	if (opener == end)
		return end;
	head = opener;
	while (head > i && f->tokens[head - 1].kind == TOK_COMMA)
		head--;
	if (head > i && f->tokens[head - 1].kind == TOK_ATTACH)
		head--;
	while (head > i + 1 && head < opener && f->tokens[head - 1].kind == TOK_COMMA &&
	       f->tokens[head - 2].kind == TOK_ATTACH)
		head -= 2;
	if (f->tokens[head].kind == TOK_ATTACH)
		return head;
	opener = f->tokens[opener].partner + 1;
	if (f->tokens[opener - 1].kind == TOK_PRED_CLOSE && opens_block(f, opener))
		opener = f->tokens[opener].partner + 1;
	return opener;
}

void filter_recover(struct filter *f)
{
	uint32_t region = filter_region(f, f->current), stop = f->current;

	f->tokens[stop].is_quiet |= f->tokens[stop].kind == TOK_RBRACE;
	if (stop == f->last_stop) { /* no progress: skip this token, or give up at the end */
		f->next = stop + 1 < f->n_tokens ? stop + 1 : stop;
		f->resumes = stop + 1 < f->n_tokens;
		return;
	}
	f->last_stop = stop;
	if (region == NO_TOKEN)
		f->next = next_probe(f, stop);
	else if (f->tokens[region].kind == TOK_PRED_OPEN)
		f->next = f->tokens[region].partner;
	else
		f->next = end_of_statement(f, stop, region);
	f->resumes = true;
}
