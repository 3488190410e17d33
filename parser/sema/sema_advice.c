/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: see sema_advice.h. This file visits every expression and statement of the script once.
 */
#include "parser/sema/sema_advice.h"

const char *advice_text(const struct sema *s, struct span span, uint32_t *len)
{
	struct place p = source_place(s->program->source, span.start);
	const char *line = source_line(p.in, p.line, len);
	uint32_t before = p.col - 1, n = span.end - span.start;

	if (before + n > *len) {
		*len = 0;
		return "";
	}
	*len = n;
	return line + before;
}

bool advice_is_copy(const struct sema *s, struct span span)
{
	struct span call;

	return source_call_of(s->program->source, span, &call);
}

static void advise_block(struct sema *s, struct block *b);

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
	if (e->kind != EX_BLOCK) {
		ast_each_child(e, advise_expr, s);
		return;
	}
	advise_block(s, &e->block.body);
	if (e->block.value)
		advise_expr(e->block.value, s);
}

static void advise_for(struct sema *s, struct stmt *st)
{
	if (st->loop.from) {
		advise_loop(s, st);
		advise_expr(st->loop.from, s);
		advise_expr(st->loop.to, s);
	}
	advise_block(s, &st->loop.body);
}

static void advise_stmt(struct sema *s, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR:
	case ST_RETURN:
		if (st->expr)
			advise_expr(st->expr, s);
		return;
	case ST_ASSIGN:
		advise_expr(st->assign.target, s);
		advise_expr(st->assign.value, s);
		return;
	case ST_IF:
		advise_condition(s, st->branch.cond, st->span);
		advise_expr(st->branch.cond, s);
		advise_block(s, &st->branch.then);
		advise_block(s, &st->branch.otherwise);
		return;
	case ST_BLOCK:
	case ST_CALLED: advise_block(s, &st->block); return;
	case ST_LET:
		if (st->let.value)
			advise_expr(st->let.value, s);
		return;
	case ST_WHILE:
		advise_endless(s, st);
		advise_expr(st->loop.cond, s);
		advise_block(s, &st->loop.body);
		return;
	case ST_FOR: advise_for(s, st); return;
	case ST_UNROLL: advise_block(s, &st->loop.body); return;
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

static void advise_block(struct sema *s, struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		advise_stmt(s, b->items[i]);
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
		advise_block(s, &p->body);
		advise_entries(s, p);
	}
	s->diags->is_advice = false;
}
