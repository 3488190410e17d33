/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constructors of the tree (ast.h): each fills one node in the arena and returns it, without
 * checks. Also the generic walk over sub-expressions, and the spelling of operators.
 */
#include "parser/lang/ast.h"
#include "parser/lang/ast_query.h"

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

struct expr *ast_new_expr(struct arena *a, struct expr e)
{
	struct expr *n = arena_new_of(a, struct expr);

	*n = e;
	n->height = ast_height_over(n);
	return n;
}

struct stmt *ast_new_stmt(struct arena *a, struct stmt st)
{
	struct stmt *n = arena_new_of(a, struct stmt);

	*n = st;
	return n;
}

struct expr *ast_int(struct arena *a, struct span s, uint64_t value)
{
	return AST_EXPR(a, s, EX_INT, .integer = {.value = value});
}

struct expr *ast_bool(struct arena *a, struct span s, bool value)
{
	struct expr *e = ast_int(a, s, value);

	e->integer.is_bool = true;
	return e;
}

struct expr *ast_string(struct arena *a, struct span s, const char *text, uint32_t len)
{
	return AST_EXPR(a, s, EX_STRING, .string = {.text = text, .len = len});
}

struct expr *ast_name(struct arena *a, struct span s, const char *name)
{
	return AST_EXPR(a, s, EX_NAME, .name = {.name = name});
}

struct expr *ast_var(struct arena *a, struct span s, const char *name)
{
	return AST_EXPR(a, s, EX_VAR, .var = {.name = name});
}

struct expr *ast_map(struct arena *a, struct span s, const char *name, struct expr **keys,
		     uint32_t n)
{
	return AST_EXPR(a, s, EX_MAP, .map = {.name = name, .keys = keys, .n_keys = n});
}

struct expr *ast_call(struct arena *a, struct span s, struct span name_span, const char *name,
		      struct expr **args, uint32_t n)
{
	return AST_EXPR(a, s, EX_CALL,
			.call = {.name = name,
				 .name_span = name_span,
				 .args = args,
				 .n_args = n,
				 .event = -1});
}

struct expr *ast_unary(struct arena *a, struct span s, enum op op, struct expr *operand)
{
	return AST_EXPR(a, s, EX_UNARY, .unary = {.op = op, .operand = operand});
}

struct expr *ast_binary(struct arena *a, struct span s, enum op op, struct expr *l, struct expr *r)
{
	return AST_EXPR(a, s, EX_BINARY, .binary = {op, l, r});
}

struct expr *ast_field(struct arena *a, struct span s, struct expr *object, struct span name_span,
		       const char *name)
{
	return AST_EXPR(a, s, EX_FIELD,
			.field = {.object = object, .name_span = name_span, .name = name});
}

struct expr *ast_cast(struct arena *a, struct span s, const struct type_name *to,
		      struct expr *operand)
{
	return AST_EXPR(a, s, EX_CAST, .cast = {.to = to, .operand = operand});
}

struct expr *ast_record(struct arena *a, struct span s, struct expr **items, const char **names,
			struct span *name_spans, uint32_t n)
{
	return AST_EXPR(a, s, EX_RECORD,
			.list = {.items = items, .names = names, .name_spans = name_spans, .n = n});
}

struct expr *ast_type(struct arena *a, struct span s, const struct type_name *named)
{
	return AST_EXPR(a, s, EX_TYPE, .named = named);
}

struct stmt *ast_stmt_let(struct arena *a, struct span s, struct expr *var,
			  const struct type_name *type, struct expr *value)
{
	return AST_STMT(a, s, ST_LET, .let = {.var = var, .type = type, .value = value});
}

struct stmt *ast_stmt_for_map(struct arena *a, struct span s, struct expr *var, struct expr *map,
			      struct block body)
{
	map->map.is_whole = true;
	return AST_STMT(a, s, ST_FOR, .loop = {.var = var, .over = map, .body = body});
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

/* Where a node of each kind holds its sub-expressions; 0 ends the list. */
enum { SLOTS = 4 };
#define IN_EXPR(member) offsetof(struct expr, member)
#define IN_STMT(member) offsetof(struct stmt, member)

static const uint16_t expr_slots[][SLOTS + 1] = {
	[EX_UNARY] = {IN_EXPR(unary.operand)},
	[EX_BINARY] = {IN_EXPR(binary.left), IN_EXPR(binary.right)},
	[EX_TERNARY] = {IN_EXPR(ternary.cond), IN_EXPR(ternary.then), IN_EXPR(ternary.otherwise)},
	[EX_FIELD] = {IN_EXPR(field.object)},
	[EX_INCDEC] = {IN_EXPR(incdec.target)},
	[EX_CAST] = {IN_EXPR(cast.operand)},
	[EX_INDEX] = {IN_EXPR(index.object), IN_EXPR(index.at)},
	[EX_BLOCK] = {IN_EXPR(block.value)},
	[EX_TYPE] = {0},
};

static const uint16_t stmt_slots[][SLOTS + 1] = {
	[ST_EXPR] = {IN_STMT(expr)},
	[ST_ASSIGN] = {IN_STMT(assign.target), IN_STMT(assign.value)},
	[ST_IF] = {IN_STMT(branch.cond)},
	[ST_RETURN] = {IN_STMT(expr)},
	[ST_LET] = {IN_STMT(let.var), IN_STMT(let.value)},
	[ST_WHILE] = {IN_STMT(loop.cond)},
	[ST_FOR] = {IN_STMT(loop.from), IN_STMT(loop.to), IN_STMT(loop.over), IN_STMT(loop.var)},
	[ST_UNROLL] = {IN_STMT(loop.count)},
	[ST_CONTINUE] = {0},
};

static void each_slot(void *node, const uint16_t *slots, slot_visit *visit, void *ctx)
{
	for (; *slots; slots++) {
		struct expr **slot = (struct expr **)(void *)((char *)node + *slots);

		if (*slot)
			visit(slot, ctx);
	}
}

void ast_each_slot(struct expr *e, slot_visit *visit, void *ctx)
{
	struct expr **items = NULL;
	uint32_t n = 0;

	if (e->kind == EX_MAP) {
		items = e->map.keys;
		n = e->map.n_keys;
	} else if (e->kind == EX_CALL) {
		items = e->call.args;
		n = e->call.n_args;
	} else if (e->kind == EX_TUPLE || e->kind == EX_RECORD) {
		items = e->list.items;
		n = e->list.n;
	}
	for (uint32_t i = 0; i < n; i++)
		visit(&items[i], ctx);
	each_slot(e, expr_slots[e->kind], visit, ctx);
}

void ast_each_head_slot(struct stmt *st, slot_visit *visit, void *ctx)
{
	each_slot(st, stmt_slots[st->kind], visit, ctx);
}

struct visitor {
	expr_visit *visit;
	void *ctx;
};

static void visit_slot(struct expr **slot, void *ctx)
{
	const struct visitor *v = ctx;

	v->visit(*slot, v->ctx);
}

/* The operand of typeof, until its type is final. */
static void each_in_type(const struct type_name *t, expr_visit *visit, void *ctx)
{
	if (t && t->of && !t->type)
		visit(t->of, ctx);
}

static void each_below(struct expr *e, expr_visit *visit, void *ctx)
{
	if (e->kind == EX_TYPE || e->kind == EX_CAST)
		each_in_type(e->kind == EX_TYPE ? e->named : e->cast.to, visit, ctx);
	ast_each_slot(e, visit_slot, &(struct visitor){visit, ctx});
}

void ast_each_child(struct expr *e, expr_visit *visit, void *ctx)
{
	if (e->kind == EX_BLOCK)
		ast_each_in_block(&e->block.body, visit, ctx);
	each_below(e, visit, ctx);
}

void ast_each_below(struct expr *e, expr_visit *visit, block_visit *enter, void *ctx)
{
	if (e->kind == EX_BLOCK)
		enter(&e->block.body, ctx);
	each_below(e, visit, ctx);
}

void ast_each_head(struct stmt *st, expr_visit *visit, void *ctx)
{
	ast_each_head_slot(st, visit_slot, &(struct visitor){visit, ctx});
	if (st->kind == ST_LET)
		each_in_type(st->let.type, visit, ctx);
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

const char *ast_value_name(const struct expr *e)
{
	const char *inner;

	switch (e->kind) {
	case EX_NAME: return e->name.name;
	case EX_VAR: return e->var.name + 1;
	case EX_MAP: return e->map.name[1] ? e->map.name + 1 : NULL;
	case EX_FIELD: return e->field.name;
	case EX_INDEX: return ast_value_name(e->index.object);
	case EX_CAST: return ast_value_name(e->cast.operand);
	case EX_UNARY: return ast_value_name(e->unary.operand);
	case EX_CALL:
		inner = e->call.n_args == 1 ? ast_value_name(e->call.args[0]) : NULL;
		return inner ? inner : e->call.name;
	default: return NULL;
	}
}
