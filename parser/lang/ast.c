/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constructors of the tree (ast.h): each fills one node in the arena and returns it, without
 * checks. Also the generic walk over sub-expressions, and the spelling of operators.
 */
#include "parser/lang/ast.h"
#include "parser/lang/type.h"
#include "parser/base/arena.h"
#include <string.h>

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

struct expr *ast_bool(struct arena *a, struct span s, bool value)
{
	struct expr *e = ast_int(a, s, value);

	e->integer.is_bool = true;
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

struct expr *ast_map(struct arena *a, struct span s, const char *name, struct expr **keys,
		     uint32_t n)
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

struct expr *ast_ternary(struct arena *a, struct span s, struct expr *c, struct expr *t,
			 struct expr *o)
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

struct stmt *ast_stmt_discard(struct arena *a, struct span s, struct expr *e)
{
	struct stmt *st = ast_stmt_expr(a, s, e);

	st->is_discard = true;
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

struct stmt *ast_stmt_called(struct arena *a, struct span s, struct block block)
{
	struct stmt *st = new_stmt(a, s, ST_CALLED);

	st->block = block;
	return st;
}

struct stmt *ast_stmt_return(struct arena *a, struct span s, struct expr *value)
{
	struct stmt *st = new_stmt(a, s, ST_RETURN);

	st->expr = value;
	return st;
}

struct expr *ast_param(struct arena *a, struct span s, const char *text)
{
	struct expr *e = new_expr(a, s, EX_PARAM);

	e->param.text = text;
	return e;
}

struct expr *ast_cast(struct arena *a, struct span s, const struct type_name *to,
		      struct expr *operand)
{
	struct expr *e = new_expr(a, s, EX_CAST);

	e->cast.to = to;
	e->cast.operand = operand;
	return e;
}

struct expr *ast_tuple(struct arena *a, struct span s, struct expr **items, uint32_t n)
{
	struct expr *e = new_expr(a, s, EX_TUPLE);

	e->list.items = items;
	e->list.n = n;
	return e;
}

struct expr *ast_record(struct arena *a, struct span s, struct expr **items, const char **names,
			struct span *name_spans, uint32_t n)
{
	struct expr *e = new_expr(a, s, EX_RECORD);

	e->list.items = items;
	e->list.names = names;
	e->list.name_spans = name_spans;
	e->list.n = n;
	return e;
}

struct expr *ast_index(struct arena *a, struct span s, struct expr *object, struct expr *at)
{
	struct expr *e = new_expr(a, s, EX_INDEX);

	e->index.object = object;
	e->index.at = at;
	return e;
}

struct expr *ast_block(struct arena *a, struct span s, struct block body, struct expr *value)
{
	struct expr *e = new_expr(a, s, EX_BLOCK);

	e->block.body = body;
	e->block.value = value;
	return e;
}

struct expr *ast_type(struct arena *a, struct span s, const struct type_name *named)
{
	struct expr *e = new_expr(a, s, EX_TYPE);

	e->named = named;
	return e;
}

struct stmt *ast_stmt_let(struct arena *a, struct span s, struct expr *var,
			  const struct type_name *type, struct expr *value)
{
	struct stmt *st = new_stmt(a, s, ST_LET);

	st->let.var = var;
	st->let.type = type;
	st->let.value = value;
	return st;
}

struct stmt *ast_stmt_while(struct arena *a, struct span s, struct expr *cond, struct block body)
{
	struct stmt *st = new_stmt(a, s, ST_WHILE);

	st->loop.cond = cond;
	st->loop.body = body;
	return st;
}

struct stmt *ast_stmt_for_map(struct arena *a, struct span s, struct expr *var, struct expr *map,
			      struct block body)
{
	struct stmt *st = new_stmt(a, s, ST_FOR);

	st->loop.var = var;
	st->loop.over = map;
	map->map.is_whole = true;
	st->loop.body = body;
	return st;
}

struct stmt *ast_stmt_for_range(struct arena *a, struct span s, struct expr *var, struct expr *from,
				struct expr *to, struct block body)
{
	struct stmt *st = new_stmt(a, s, ST_FOR);

	st->loop.var = var;
	st->loop.from = from;
	st->loop.to = to;
	st->loop.body = body;
	return st;
}

struct stmt *ast_stmt_unroll(struct arena *a, struct span s, struct expr *count, struct block body)
{
	struct stmt *st = new_stmt(a, s, ST_UNROLL);

	st->loop.count = count;
	st->loop.body = body;
	return st;
}

struct stmt *ast_stmt_jump(struct arena *a, struct span s, bool is_break)
{
	return new_stmt(a, s, is_break ? ST_BREAK : ST_CONTINUE);
}

static void each_of(struct expr **items, uint32_t n, void (*visit)(struct expr *, void *),
		    void *ctx)
{
	for (uint32_t i = 0; i < n; i++)
		visit(items[i], ctx);
}

bool ast_is_offset_member(const struct expr *e)
{
	return e->kind == EX_FIELD && e->span.start == e->field.name_span.start;
}

bool ast_is_void(const struct type_name *t)
{
	return t->name && !t->n_suffixes && strcmp(t->name, "void") == 0;
}

const struct builtin *ast_builtin(const struct expr *e)
{
	return e->kind == EX_CALL ? e->call.builtin : e->kind == EX_NAME ? e->name.builtin : NULL;
}

void ast_each_child(struct expr *e, void (*visit)(struct expr *child, void *ctx), void *ctx)
{
	switch (e->kind) {
	case EX_INT:
	case EX_STRING:
	case EX_NAME:
	case EX_VAR:
	case EX_PARAM: return;
	case EX_TYPE:
		if (e->named->of && !e->named->type)
			visit(e->named->of, ctx);
		return;
	case EX_MAP: each_of(e->map.keys, e->map.n_keys, visit, ctx); return;
	case EX_CALL: each_of(e->call.args, e->call.n_args, visit, ctx); return;
	case EX_UNARY: visit(e->unary.operand, ctx); return;
	case EX_BINARY:
		visit(e->binary.left, ctx);
		visit(e->binary.right, ctx);
		return;
	case EX_TERNARY:
		visit(e->ternary.cond, ctx);
		if (e->ternary.then)
			visit(e->ternary.then, ctx);
		visit(e->ternary.otherwise, ctx);
		return;
	case EX_FIELD: visit(e->field.object, ctx); return;
	case EX_INCDEC: visit(e->incdec.target, ctx); return;
	case EX_CAST:
		if (e->cast.to->of && !e->cast.to->type)
			visit(e->cast.to->of, ctx);
		visit(e->cast.operand, ctx);
		return;
	case EX_TUPLE:
	case EX_RECORD: each_of(e->list.items, e->list.n, visit, ctx); return;
	case EX_INDEX:
		visit(e->index.object, ctx);
		visit(e->index.at, ctx);
		return;
	case EX_BLOCK:
		ast_each_in_block(&e->block.body, visit, ctx);
		if (e->block.value)
			visit(e->block.value, ctx);
		return;
	}
}

static void each_in_loop(struct stmt *st, void (*visit)(struct expr *, void *), void *ctx)
{
	struct expr *const parts[] = {st->loop.cond, st->loop.count, st->loop.from,
				      st->loop.to,   st->loop.over,  st->loop.var};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i])
			visit(parts[i], ctx);
	ast_each_in_block(&st->loop.body, visit, ctx);
}

static void each_in_stmt(struct stmt *st, void (*visit)(struct expr *, void *), void *ctx)
{
	switch (st->kind) {
	case ST_EXPR:
	case ST_RETURN:
		if (st->expr)
			visit(st->expr, ctx);
		return;
	case ST_ASSIGN:
		visit(st->assign.target, ctx);
		visit(st->assign.value, ctx);
		return;
	case ST_IF:
		visit(st->branch.cond, ctx);
		ast_each_in_block(&st->branch.then, visit, ctx);
		ast_each_in_block(&st->branch.otherwise, visit, ctx);
		return;
	case ST_BLOCK:
	case ST_CALLED: ast_each_in_block(&st->block, visit, ctx); return;
	case ST_LET:
		visit(st->let.var, ctx);
		if (st->let.type && st->let.type->of && !st->let.type->type)
			visit(st->let.type->of, ctx);
		if (st->let.value)
			visit(st->let.value, ctx);
		return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: each_in_loop(st, visit, ctx); return;
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

void ast_each_in_block(struct block *b, void (*visit)(struct expr *e, void *ctx), void *ctx)
{
	for (uint32_t i = 0; i < b->n; i++)
		each_in_stmt(b->items[i], visit, ctx);
}

static const char *const op_names[] = {
	[OP_ADD] = "+",
	[OP_SUB] = "-",
	[OP_MUL] = "*",
	[OP_DIV] = "/",
	[OP_MOD] = "%",
	[OP_SHL] = "<<",
	[OP_SHR] = ">>",
	[OP_BAND] = "&",
	[OP_BOR] = "|",
	[OP_BXOR] = "^",
	[OP_LAND] = "&&",
	[OP_LOR] = "||",
	[OP_EQ] = "==",
	[OP_NE] = "!=",
	[OP_LT] = "<",
	[OP_LE] = "<=",
	[OP_GT] = ">",
	[OP_GE] = ">=",
	[OP_NEG] = "-",
	[OP_NOT] = "!",
	[OP_BNOT] = "~",
	[OP_DEREF] = "*",
	[OP_ADDRESS] = "&",
	[OP_SIZEOF] = "sizeof",
	[OP_OFFSETOF] = "offsetof",
	[OP_COMPTIME] = "comptime",
	[OP_NONE] = "",
};

const char *op_str(enum op op)
{
	return op_names[op];
}
