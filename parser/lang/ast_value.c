/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks as values: see ast_value.h. The parser reads an `if` or a block at the end of a block as a
 * statement, since it cannot know yet whether its value is wanted. Operations that became literals.
 */
#include "parser/lang/ast_value.h"
#include "parser/lang/type.h"

struct expr *ast_value_block(struct arena *a, struct span s, struct block body, struct expr *value)
{
	return !body.n && value ? value : AST_EXPR(a, s, EX_BLOCK, .block = {body, value});
}

static bool has_value(const struct block *b)
{
	const struct stmt *last = b->n ? b->items[b->n - 1] : NULL;

	if (!last)
		return false;
	if (last->kind == ST_IF)
		return has_value(&last->branch.then) && has_value(&last->branch.otherwise);
	return last->kind == ST_BLOCK ? has_value(&last->block)
				      : last->kind == ST_EXPR && last->is_tail;
}

static struct expr *value_of(struct arena *a, struct stmt *st);

static struct expr *block_value(struct arena *a, struct span s, struct block b)
{
	struct expr *value = value_of(a, b.items[--b.n]);

	return ast_value_block(a, s, b, value);
}

static struct expr *value_of(struct arena *a, struct stmt *st)
{
	if (st->kind == ST_EXPR)
		return st->expr;
	if (st->kind == ST_BLOCK)
		return block_value(a, st->span, st->block);
	return AST_EXPR(a, st->span, EX_TERNARY,
			.ternary = {.cond = st->branch.cond,
				    .then = block_value(a, st->span, st->branch.then),
				    .otherwise = block_value(a, st->span, st->branch.otherwise)});
}

struct expr *ast_take_value(struct arena *a, struct block *b)
{
	return has_value(b) ? value_of(a, b->items[--b->n]) : NULL;
}

/* Does the value of an operation depend on a parameter? */
static bool is_of_parameter(const struct expr *e)
{
	switch (e->kind) {
	case EX_BINARY: return e->binary.left->is_parameter || e->binary.right->is_parameter;
	case EX_UNARY: return e->is_parameter || e->unary.operand->is_parameter;
	case EX_CAST: return e->cast.operand->is_parameter;
	default: return e->is_parameter;
	}
}

void ast_become_int(struct expr *e, uint64_t value, const struct type *type)
{
	e->is_parameter = is_of_parameter(e);
	e->kind = EX_INT;
	e->integer.value = value;
	e->integer.is_bool = type && type->kind == TY_BOOL;
	e->integer.type = type && type->kind == TY_INT ? type : NULL;
}
