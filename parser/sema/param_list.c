/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists on the command line, `option $tid: list uint64 "…";`. A list is known at compile time:
 * one_of(tid, $tid) becomes `tid == 3 || tid == 5`, and len($tid) 2. So a test of what is the same
 * at both ends of a span moves to its start, as any other comparison does.
 */
#include "parser/sema/param.h"
#include "parser/sema/sema.h"

static const struct param_item *list_of(const struct sema *s, const struct expr *e)
{
	const struct param_item *item = e->kind == EX_VAR ? param_find(s, e->var.name) : NULL;

	return item && item->form.is_list ? item : NULL;
}

/* A copy of an expression that can be computed again and again; NULL of any other. */
static struct expr *copy(struct arena *a, const struct expr *e)
{
	struct expr *c = arena_new_of(a, struct expr);

	*c = *e;
	switch (e->kind) {
	case EX_NAME:
	case EX_VAR:
	case EX_INT:
	case EX_STRING: return c;
	case EX_FIELD:
		c->field.object = copy(a, e->field.object);
		return c->field.object ? c : NULL;
	case EX_UNARY:
		if (e->unary.op == OP_SIZEOF || e->unary.op == OP_OFFSETOF)
			return NULL;
		c->unary.operand = copy(a, e->unary.operand);
		return c->unary.operand ? c : NULL;
	case EX_CAST: c->cast.operand = copy(a, e->cast.operand); return c->cast.operand ? c : NULL;
	case EX_BINARY:
		c->binary.left = copy(a, e->binary.left);
		c->binary.right = copy(a, e->binary.right);
		return c->binary.left && c->binary.right ? c : NULL;
	default: return NULL;
	}
}

/* An expression that is true if the value is one of n others, as a tree of small height. */
static struct expr *compare(struct sema *s, const struct expr *value, struct expr **others,
			    uint32_t n)
{
	uint32_t half = n / 2;

	if (n == 1)
		return AST_EXPR(s->arena, value->span, EX_BINARY,
				.binary = {OP_EQ, copy(s->arena, value), others[0]});
	return AST_EXPR(s->arena, value->span, EX_BINARY,
			.binary = {OP_LOR, compare(s, value, others, half),
				   compare(s, value, others + half, n - half)});
}

static void become_comparisons(struct sema *s, struct expr *e)
{
	const struct expr *value = e->call.args[0];
	struct expr **others = NULL;
	struct span span = e->span;
	uint32_t n = 0;

	for (uint32_t i = 1; i < e->call.n_args; i++) {
		const struct param_item *item = list_of(s, e->call.args[i]);

		for (uint32_t k = 0; item && k < item->n_members; k++)
			arena_push(s->arena, others, n, copy(s->arena, item->members[k]));
		if (!item)
			arena_push(s->arena, others, n, e->call.args[i]);
	}
	if (!copy(s->arena, value)) {
		diag_error(s->diags, value->span, "arg-type",
			   "one_of() compares a value several times, and this one may change");
		diag_hint(s->diags, "assign it to a variable first: $value = …;");
		n = 0;
	}
	*e = n ? *compare(s, value, others, n) : *ast_bool(s->arena, span, false);
	e->span = span;
}

bool param_call(struct sema *s, struct expr *e)
{
	const struct builtin *b = e->call.builtin;
	const struct param_item *item = b && e->call.n_args ? list_of(s, e->call.args[0]) : NULL;

	if (b && b->check == chk_one_of && e->call.n_args > 1) {
		become_comparisons(s, e);
		return true;
	}
	if (!item || b->check != chk_len || e->call.n_args != 1)
		return false;
	ast_become_int(e, item->n_members, NULL);
	return true;
}

/* Calls are replaced in pass 1. */
const struct type *chk_one_of(struct sema *s, struct expr *e)
{
	return &type_error;
}
