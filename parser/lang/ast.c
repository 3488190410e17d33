/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constructors of the tree (ast.h): each fills one node in the arena and returns it, without
 * checks. Also the generic walk over sub-expressions, and the spelling of operators.
 */
#include "parser/lang/ast.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/type.h"
#include "parser/base/arena.h"
#include <string.h>

static void note_height(struct expr *e, void *ctx)
{
	uint32_t *height = ctx;

	*height = e->height > *height ? e->height : *height;
}

uint32_t ast_height_over(struct expr *e)
{
	uint32_t height = 0;

	ast_each_child(e, note_height, &height);
	return height + 1;
}

static struct expr *new_expr(struct arena *a, struct expr e)
{
	struct expr *n = arena_new_of(a, struct expr);

	*n = e;
	n->height = ast_height_over(n);
	return n;
}

static struct stmt *new_stmt(struct arena *a, struct stmt st)
{
	struct stmt *n = arena_new_of(a, struct stmt);

	*n = st;
	return n;
}

/* A node of that kind, with the rest of the designated initializers. */
#define NEW(a, s, node, k, ...) \
	new_##node((a), (struct node){.kind = (k), .span = (s), ##__VA_ARGS__})

struct expr *ast_int(struct arena *a, struct span s, uint64_t value)
{
	return NEW(a, s, expr, EX_INT, .integer = {.value = value});
}

struct expr *ast_bool(struct arena *a, struct span s, bool value)
{
	struct expr *e = ast_int(a, s, value);

	e->integer.is_bool = true;
	return e;
}

struct expr *ast_string(struct arena *a, struct span s, const char *text, uint32_t len)
{
	return NEW(a, s, expr, EX_STRING, .string = {.text = text, .len = len});
}

struct expr *ast_name(struct arena *a, struct span s, const char *name)
{
	return NEW(a, s, expr, EX_NAME, .name = {.name = name});
}

struct expr *ast_var(struct arena *a, struct span s, const char *name)
{
	return NEW(a, s, expr, EX_VAR, .var = {.name = name});
}

struct expr *ast_map(struct arena *a, struct span s, const char *name, struct expr **keys,
		     uint32_t n)
{
	return NEW(a, s, expr, EX_MAP, .map = {.name = name, .keys = keys, .n_keys = n});
}

struct expr *ast_call(struct arena *a, struct span s, struct span name_span, const char *name,
		      struct expr **args, uint32_t n)
{
	return NEW(a, s, expr, EX_CALL,
		   .call = {.name = name,
			    .name_span = name_span,
			    .args = args,
			    .n_args = n,
			    .event = -1});
}

struct expr *ast_unary(struct arena *a, struct span s, enum op op, struct expr *operand)
{
	return NEW(a, s, expr, EX_UNARY, .unary = {.op = op, .operand = operand});
}

struct expr *ast_binary(struct arena *a, struct span s, enum op op, struct expr *l, struct expr *r)
{
	return NEW(a, s, expr, EX_BINARY, .binary = {.op = op, .left = l, .right = r});
}

struct expr *ast_ternary(struct arena *a, struct span s, struct expr *c, struct expr *t,
			 struct expr *o)
{
	return NEW(a, s, expr, EX_TERNARY, .ternary = {.cond = c, .then = t, .otherwise = o});
}

struct expr *ast_field(struct arena *a, struct span s, struct expr *object, struct span name_span,
		       const char *name)
{
	return NEW(a, s, expr, EX_FIELD,
		   .field = {.object = object, .name_span = name_span, .name = name});
}

struct expr *ast_incdec(struct arena *a, struct span s, struct expr *target, bool is_increment,
			bool is_prefix)
{
	return NEW(a, s, expr, EX_INCDEC,
		   .incdec = {.target = target,
			      .is_increment = is_increment,
			      .is_prefix = is_prefix});
}

struct stmt *ast_stmt_expr(struct arena *a, struct span s, struct expr *e)
{
	return NEW(a, s, stmt, ST_EXPR, .expr = e);
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
	return NEW(a, s, stmt, ST_ASSIGN, .assign = {.target = target, .op = op, .value = value});
}

struct stmt *ast_stmt_if(struct arena *a, struct span s, struct expr *cond, struct block then,
			 struct block otherwise)
{
	return NEW(a, s, stmt, ST_IF,
		   .branch = {.cond = cond, .then = then, .otherwise = otherwise});
}

struct stmt *ast_stmt_block(struct arena *a, struct span s, struct block block)
{
	return NEW(a, s, stmt, ST_BLOCK, .block = block);
}

struct stmt *ast_stmt_called(struct arena *a, struct span s, struct block block)
{
	return NEW(a, s, stmt, ST_CALLED, .block = block);
}

struct stmt *ast_stmt_return(struct arena *a, struct span s, struct expr *value)
{
	return NEW(a, s, stmt, ST_RETURN, .expr = value);
}

struct expr *ast_param(struct arena *a, struct span s, const char *text)
{
	return NEW(a, s, expr, EX_PARAM, .param = {.text = text});
}

struct expr *ast_cast(struct arena *a, struct span s, const struct type_name *to,
		      struct expr *operand)
{
	return NEW(a, s, expr, EX_CAST, .cast = {.to = to, .operand = operand});
}

struct expr *ast_tuple(struct arena *a, struct span s, struct expr **items, uint32_t n)
{
	return NEW(a, s, expr, EX_TUPLE, .list = {.items = items, .n = n});
}

struct expr *ast_record(struct arena *a, struct span s, struct expr **items, const char **names,
			struct span *name_spans, uint32_t n)
{
	return NEW(a, s, expr, EX_RECORD,
		   .list = {.items = items, .names = names, .name_spans = name_spans, .n = n});
}

struct expr *ast_index(struct arena *a, struct span s, struct expr *object, struct expr *at)
{
	return NEW(a, s, expr, EX_INDEX, .index = {.object = object, .at = at});
}

struct expr *ast_block(struct arena *a, struct span s, struct block body, struct expr *value)
{
	return NEW(a, s, expr, EX_BLOCK, .block = {.body = body, .value = value});
}

struct expr *ast_type(struct arena *a, struct span s, const struct type_name *named)
{
	return NEW(a, s, expr, EX_TYPE, .named = named);
}

struct stmt *ast_stmt_let(struct arena *a, struct span s, struct expr *var,
			  const struct type_name *type, struct expr *value)
{
	return NEW(a, s, stmt, ST_LET, .let = {.var = var, .type = type, .value = value});
}

struct stmt *ast_stmt_while(struct arena *a, struct span s, struct expr *cond, struct block body)
{
	return NEW(a, s, stmt, ST_WHILE, .loop = {.cond = cond, .body = body});
}

struct stmt *ast_stmt_for_map(struct arena *a, struct span s, struct expr *var, struct expr *map,
			      struct block body)
{
	map->map.is_whole = true;
	return NEW(a, s, stmt, ST_FOR, .loop = {.var = var, .over = map, .body = body});
}

struct stmt *ast_stmt_for_range(struct arena *a, struct span s, struct expr *var, struct expr *from,
				struct expr *to, struct block body)
{
	return NEW(a, s, stmt, ST_FOR, .loop = {.var = var, .from = from, .to = to, .body = body});
}

struct stmt *ast_stmt_unroll(struct arena *a, struct span s, struct expr *count, struct block body)
{
	return NEW(a, s, stmt, ST_UNROLL, .loop = {.count = count, .body = body});
}

struct stmt *ast_stmt_jump(struct arena *a, struct span s, bool is_break)
{
	return NEW(a, s, stmt, is_break ? ST_BREAK : ST_CONTINUE);
}

static void each_of(struct expr **items, uint32_t n, expr_visit *visit, void *ctx)
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

void ast_each_child(struct expr *e, expr_visit *visit, void *ctx)
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

void ast_each_below(struct expr *e, expr_visit *visit, block_visit *enter, void *ctx)
{
	if (e->kind != EX_BLOCK) {
		ast_each_child(e, visit, ctx);
		return;
	}
	enter(&e->block.body, ctx);
	if (e->block.value)
		visit(e->block.value, ctx);
}

static void each_in_loop(struct stmt *st, expr_visit *visit, void *ctx)
{
	struct expr *const parts[] = {st->loop.cond, st->loop.count, st->loop.from,
				      st->loop.to,   st->loop.over,  st->loop.var};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i])
			visit(parts[i], ctx);
}

void ast_each_head(struct stmt *st, expr_visit *visit, void *ctx)
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
	case ST_IF: visit(st->branch.cond, ctx); return;
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
	case ST_BLOCK:
	case ST_CALLED:
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

void ast_each_block(struct stmt *st, block_visit *enter, void *ctx)
{
	if (st->kind == ST_IF) {
		enter(&st->branch.then, ctx);
		enter(&st->branch.otherwise, ctx);
	}
	if (st->kind == ST_BLOCK || st->kind == ST_CALLED)
		enter(&st->block, ctx);
	if (ast_is_loop(st))
		enter(&st->loop.body, ctx);
}

struct visitor {
	expr_visit *visit;
	void *ctx;
};

static void each_in_block(struct block *b, void *ctx)
{
	const struct visitor *v = ctx;

	for (uint32_t i = 0; i < b->n; i++) {
		ast_each_head(b->items[i], v->visit, v->ctx);
		ast_each_block(b->items[i], each_in_block, ctx);
	}
}

void ast_each_in_block(struct block *b, expr_visit *visit, void *ctx)
{
	each_in_block(b, &(struct visitor){visit, ctx});
}

void ast_each_in_probe(const struct probe *p, expr_visit *visit, void *ctx)
{
	if (p->predicate)
		visit(p->predicate, ctx);
	ast_each_in_block((struct block *)&p->body, visit, ctx);
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
