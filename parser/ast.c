/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree's constructors (ast.h): each fills one node in the arena and returns it; nothing is
 * checked here. Also the one generic walk over sub-expressions, and the operators' spellings.
 * parser.y calls the constructors; sema, codegen and the printer in ast_dump.c read the nodes.
 */
#include "ast.h"
#include "arena.h"

static struct expr *new_expr(struct arena *a, struct span s, enum expr_kind kind)
{
	struct expr *e = arena_new_of(a, struct expr);

	e->kind = kind;
	e->span = s;
	return e;
}

static struct stmt *new_stmt(struct arena *a, struct span s, enum stmt_kind kind)
{
	struct stmt *st = arena_new_of(a, struct stmt);

	st->kind = kind;
	st->span = s;
	return st;
}

struct expr *ast_int(struct arena *a, struct span s, uint64_t value)
{
	struct expr *e = new_expr(a, s, EX_INT);

	e->integer.value = value;
	return e;
}

struct expr *ast_string(struct arena *a, struct span s, const char *text, uint32_t len)
{
	struct expr *e = new_expr(a, s, EX_STRING);

	e->string.text = text;
	e->string.len = len;
	return e;
}

struct expr *ast_name(struct arena *a, struct span s, const char *name)
{
	struct expr *e = new_expr(a, s, EX_NAME);

	e->name.name = name;
	return e;
}

struct expr *ast_var(struct arena *a, struct span s, const char *name)
{
	struct expr *e = new_expr(a, s, EX_VAR);

	e->var.name = name;
	return e;
}

struct expr *ast_map(struct arena *a, struct span s, const char *name, struct expr **keys, uint32_t n)
{
	struct expr *e = new_expr(a, s, EX_MAP);

	e->map.name = name;
	e->map.keys = keys;
	e->map.n_keys = n;
	return e;
}

struct expr *ast_call(struct arena *a, struct span s, struct span name_span, const char *name,
		      struct expr **args, uint32_t n)
{
	struct expr *e = new_expr(a, s, EX_CALL);

	e->call.name = name;
	e->call.name_span = name_span;
	e->call.args = args;
	e->call.n_args = n;
	e->call.event = -1;
	return e;
}

struct expr *ast_unary(struct arena *a, struct span s, enum op op, struct expr *operand)
{
	struct expr *e = new_expr(a, s, EX_UNARY);

	e->unary.op = op;
	e->unary.operand = operand;
	return e;
}

struct expr *ast_binary(struct arena *a, struct span s, enum op op, struct expr *l, struct expr *r)
{
	struct expr *e = new_expr(a, s, EX_BINARY);

	e->binary.op = op;
	e->binary.left = l;
	e->binary.right = r;
	return e;
}

struct expr *ast_ternary(struct arena *a, struct span s, struct expr *c, struct expr *t, struct expr *o)
{
	struct expr *e = new_expr(a, s, EX_TERNARY);

	e->ternary.cond = c;
	e->ternary.then = t;
	e->ternary.otherwise = o;
	return e;
}

struct expr *ast_field(struct arena *a, struct span s, struct expr *object, struct span name_span,
		       const char *name)
{
	struct expr *e = new_expr(a, s, EX_FIELD);

	e->field.object = object;
	e->field.name_span = name_span;
	e->field.name = name;
	return e;
}

struct expr *ast_incdec(struct arena *a, struct span s, struct expr *target, bool is_increment,
			bool is_prefix)
{
	struct expr *e = new_expr(a, s, EX_INCDEC);

	e->incdec.target = target;
	e->incdec.is_increment = is_increment;
	e->incdec.is_prefix = is_prefix;
	return e;
}

struct stmt *ast_stmt_expr(struct arena *a, struct span s, struct expr *e)
{
	struct stmt *st = new_stmt(a, s, ST_EXPR);

	st->expr = e;
	return st;
}

struct stmt *ast_stmt_assign(struct arena *a, struct span s, struct expr *target, enum op op,
			     struct expr *value)
{
	struct stmt *st = new_stmt(a, s, ST_ASSIGN);

	st->assign.target = target;
	st->assign.op = op;
	st->assign.value = value;
	return st;
}

struct stmt *ast_stmt_if(struct arena *a, struct span s, struct expr *cond, struct block then,
			 struct block otherwise)
{
	struct stmt *st = new_stmt(a, s, ST_IF);

	st->branch.cond = cond;
	st->branch.then = then;
	st->branch.otherwise = otherwise;
	return st;
}

struct stmt *ast_stmt_block(struct arena *a, struct span s, struct block block)
{
	struct stmt *st = new_stmt(a, s, ST_BLOCK);

	st->block = block;
	return st;
}

struct stmt *ast_stmt_return(struct arena *a, struct span s)
{
	return new_stmt(a, s, ST_RETURN);
}

static void each_of(struct expr **items, uint32_t n, void (*visit)(struct expr *, void *), void *ctx)
{
	for (uint32_t i = 0; i < n; i++)
		visit(items[i], ctx);
}

void ast_each_child(struct expr *e, void (*visit)(struct expr *child, void *ctx), void *ctx)
{
	switch (e->kind) {
	case EX_INT:
	case EX_STRING:
	case EX_NAME:
	case EX_VAR:
		return;
	case EX_MAP:
		each_of(e->map.keys, e->map.n_keys, visit, ctx);
		return;
	case EX_CALL:
		each_of(e->call.args, e->call.n_args, visit, ctx);
		return;
	case EX_UNARY:
		visit(e->unary.operand, ctx);
		return;
	case EX_BINARY:
		visit(e->binary.left, ctx);
		visit(e->binary.right, ctx);
		return;
	case EX_TERNARY:
		visit(e->ternary.cond, ctx);
		visit(e->ternary.then, ctx);
		visit(e->ternary.otherwise, ctx);
		return;
	case EX_FIELD:
		visit(e->field.object, ctx);
		return;
	case EX_INCDEC:
		visit(e->incdec.target, ctx);
		return;
	}
}

static const char *const op_names[] = {
	[OP_ADD] = "+",	  [OP_SUB] = "-",  [OP_MUL] = "*",  [OP_DIV] = "/",   [OP_MOD] = "%",
	[OP_SHL] = "<<",  [OP_SHR] = ">>", [OP_BAND] = "&", [OP_BOR] = "|",   [OP_BXOR] = "^",
	[OP_LAND] = "&&", [OP_LOR] = "||", [OP_EQ] = "==",  [OP_NE] = "!=",   [OP_LT] = "<",
	[OP_LE] = "<=",	  [OP_GT] = ">",   [OP_GE] = ">=",  [OP_NEG] = "-",   [OP_NOT] = "!",
	[OP_BNOT] = "~",  [OP_NONE] = "",
};

const char *op_str(enum op op)
{
	return op_names[op];
}
