/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: see sema_advice.h. This file visits every expression and statement of the script once.
 */
#include "parser/sema/sema_advice.h"

const char *advice_text(const struct sema *s, struct span span, uint32_t most)
{
	struct place p = source_place(s->program->source, span.start);
	uint32_t len, before = p.col - 1, n = span.end - span.start;
	const char *line = source_line(p.in, p.line, &len);

	if (!n || before + n > len || (most && n > most))
		return NULL;
	return arena_strndup(s->arena, line + before, n);
}

bool advice_is_copy(const struct sema *s, struct span span)
{
	struct span call;

	return source_call_of(s->program->source, span, &call);
}

static void advise_block(struct block *b, void *ctx);

static void advise_expr(struct expr *e, void *ctx)
{
	struct sema *s = ctx;

	if (e->kind == EX_BINARY) {
		advise_binary(s, e);
		advise_compare(s, e);
		advise_clocks(s, e);
	}
	if (e->kind == EX_NAME)
		advise_argument(s, e);
	if (e->kind == EX_TERNARY && e->ternary.then)
		advise_condition(s, e->ternary.cond, e->span);
	if (e->kind == EX_CALL) {
		advise_address(s, e);
		advise_printed(s, e);
	}
	if (e->kind == EX_MAP)
		advise_keys(s, e);
	advise_unit(s, e);
	ast_each_below(e, advise_expr, advise_block, s);
}

static void advise_block(struct block *b, void *ctx)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		if (st->kind == ST_IF)
			advise_condition(ctx, st->branch.cond, st->span);
		if (st->kind == ST_WHILE)
			advise_endless(ctx, st);
		if (st->kind == ST_FOR && st->loop.from)
			advise_loop(ctx, st);
		ast_each_head(st, advise_expr, ctx);
		ast_each_block(st, advise_block, ctx);
	}
}

void advise(struct sema *s)
{
	if (s->diags->no_warnings)
		return;
	s->diags->is_advice = true;
	advise_usage(s);
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];

		s->probe = p;
		if (p->predicate) {
			advise_condition(s, p->predicate, p->span);
			advise_expr(p->predicate, s);
		}
		advise_block(&p->body, s);
		advise_entries(s, p);
	}
	s->diags->is_advice = false;
}
