/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings whose address is known before a body runs: see prefault.h.
 */
#include "parser/lang/prefault.h"
#include "parser/lang/builtin.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/type_space.h"

struct walk {
	prefault_fn *fn;
	void *ctx;
};

static bool is_plain_name(const struct expr *e)
{
	const struct builtin *b = e->name.builtin;

	return b && b->traits & TR_PLAIN;
}

bool prefault_is_plain(const struct expr *e)
{
	if (!type_is_integral(e->type) && e->type->kind != TY_POINTER)
		return false;
	switch (e->kind) {
	case EX_INT: return true;
	case EX_NAME: return is_plain_name(e);
	case EX_FIELD: /* a named argument */ return ast_is_args_field(e);
	case EX_CAST: return prefault_is_plain(e->cast.operand);
	case EX_UNARY: return e->unary.op != OP_DEREF && prefault_is_plain(e->unary.operand);
	case EX_BINARY:
		return e->binary.op != OP_DIV && e->binary.op != OP_MOD &&
		       prefault_is_plain(e->binary.left) && prefault_is_plain(e->binary.right);
	default: return false;
	}
}

static bool is_early(const struct expr *e)
{
	const struct builtin *b = e->kind == EX_CALL ? e->call.builtin : NULL;

	return b && b->id == BI_str && prefault_is_plain(e->call.args[0]) &&
	       type_is_in_user_space(e->call.args[0]->type, true);
}

static void each_block(struct block *b, void *ctx);

/* Visit the expressions that every run evaluates. */
static void each_expr(struct expr *e, void *ctx)
{
	const struct walk *w = ctx;

	if (is_early(e))
		w->fn(e, w->ctx);
	else if (e->kind == EX_TERNARY)
		each_expr(e->ternary.cond, ctx);
	else if (e->kind == EX_BINARY && (e->binary.op == OP_LAND || e->binary.op == OP_LOR))
		each_expr(e->binary.left, ctx);
	else if (e->kind == EX_BLOCK)
		each_block(&e->block.body, ctx);
	else if (e->kind != EX_CALL || !e->call.builtin || !(e->call.builtin->traits & TR_ENTRY))
		ast_each_child(e, each_expr, ctx);
}

static void each_block(struct block *b, void *ctx)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		if (!ast_is_loop(st))
			ast_each_head(st, each_expr, ctx);
		if (st->kind == ST_BLOCK || st->kind == ST_CALLED)
			each_block(&st->block, ctx);
	}
}

void prefault_body_strings(const struct probe *p, prefault_fn *fn, void *ctx)
{
	struct walk w = {fn, ctx};

	if (p->predicate)
		each_expr(p->predicate, &w);
	each_block((struct block *)&p->body, &w);
}

void prefault_entry_strings(const struct probe *p, prefault_fn *fn, void *ctx)
{
	struct walk w = {fn, ctx};

	for (uint32_t i = 0; i < p->n_entries; i++)
		each_expr(p->entries[i]->call.args[0], &w);
}
