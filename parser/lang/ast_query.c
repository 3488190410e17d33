/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the checked tree: see ast_query.h.
 */
#include "parser/lang/ast_query.h"
#include "parser/lang/agg.h"
#include "parser/lang/builtin.h"

bool ast_is_whole_map(const struct expr *call, uint32_t i)
{
	const struct builtin *b = call->call.builtin;

	return i == 0 && b && b->traits & TR_MAP && call->call.n_args > 0 &&
	       call->call.args[0]->kind == EX_MAP && call->call.args[0]->map.n_keys == 0;
}

bool ast_is_set_by(const struct expr *call, uint32_t i)
{
	const struct builtin *b = call->call.builtin;

	return i > 0 && i + 1 == call->call.n_args && b && b->traits & TR_SETS &&
	       call->call.args[i]->kind == EX_VAR;
}

bool ast_is_keyed_histogram(const struct expr *m)
{
	const struct type *t = m->map.map ? m->map.map->value : NULL;

	return t && m->map.map->n_keys && agg_has_buckets(t);
}

bool ast_is_agg_call(const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	return b && b->kind == BUILTIN_AGG;
}

bool ast_is_args(const struct expr *e)
{
	return e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_args;
}

bool ast_is_args_field(const struct expr *e)
{
	return e->kind == EX_FIELD && ast_is_args(e->field.object);
}

bool ast_is_context(const struct expr *e)
{
	return e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_ctx;
}

struct expr **ast_key_parts(const struct expr *m)
{
	struct expr *tuple = m->map.is_spread ? m->map.keys[0] : NULL;

	if (!tuple)
		return m->map.keys;
	return tuple->kind == EX_TUPLE ? tuple->list.items : NULL;
}

bool ast_is_built_in_place(const struct expr *e, const struct type *t)
{
	bool is_list = e->kind == EX_TUPLE || e->kind == EX_RECORD;
	bool is_read = e->kind == EX_CALL && e->call.builtin == &builtins[BI_str] &&
		       (e->call.args[0]->type->kind == TY_POINTER ||
			type_is_integral(e->call.args[0]->type));

	return (is_list || is_read) && type_equal(e->type, t);
}

struct expr *ast_place_object(const struct expr *e)
{
	switch (e->kind) {
	case EX_FIELD: return e->field.object;
	case EX_INDEX: return e->index.object;
	case EX_UNARY: return e->unary.op == OP_DEREF ? e->unary.operand : NULL;
	default: return NULL;
	}
}

bool ast_is_place(const struct expr *e)
{
	const struct expr *object = ast_place_object(e);

	if (!object || !object->type)
		return false;
	if (object->type->kind == TY_POINTER || e->kind == EX_UNARY)
		return true;
	return (object->type->kind == TY_STRUCT || object->type->kind == TY_ARRAY) &&
	       ast_is_place(object);
}

enum type_space ast_place_space(const struct expr *e)
{
	const struct expr *object = ast_place_object(e);
	enum type_space space = SPACE_NONE;

	if (!ast_is_place(e))
		return SPACE_NONE;
	if (object->type->kind != TY_POINTER)
		return ast_place_space(object);
	for (const struct type *t = object->type; t->kind == TY_POINTER; t = t->to) {
		space = t->space == SPACE_NONE ? space : t->space;
		if (e->kind != EX_FIELD)
			break;
	}
	return space;
}

struct mention {
	const struct var *var;
	bool found;
};

static void find_mention(struct expr *e, void *ctx)
{
	struct mention *m = ctx;

	m->found |= e->kind == EX_BLOCK || (e->kind == EX_VAR && e->var.var == m->var);
	ast_each_child(e, find_mention, m);
}

bool ast_mentions(struct expr *e, const struct var *v)
{
	struct mention m = {.var = v};

	find_mention(e, &m);
	return m.found;
}

enum type_space ast_space(const struct probe *p)
{
	return p->n_points ? probe_space(&p->points[0]) : SPACE_KERNEL;
}

enum type_space ast_number_space(const struct probe *p, const struct type *t)
{
	return p->n_points ? probe_address_space(p->points, t) : SPACE_KERNEL;
}

enum span_kind ast_span(const struct probe *p)
{
	return p->n_points && !p->is_start ? p->points[0].ends : SPAN_NO;
}

bool ast_counts_open(const struct program *p, const struct probe *probe)
{
	enum span_kind kind = ast_span(probe);

	return p->config.open_spans == OPEN_SPANS_COUNT ||
	       (p->config.open_spans == OPEN_SPANS_SWITCHES &&
		(kind == SPAN_SWITCH || kind == SPAN_SLICE));
}

bool ast_is_loop(const struct stmt *st)
{
	return st->kind == ST_WHILE || st->kind == ST_FOR || st->kind == ST_UNROLL;
}

struct expr *ast_target(const struct stmt *st)
{
	return st->kind == ST_LET ? st->let.var : st->kind == ST_ASSIGN ? st->assign.target : NULL;
}

struct expr *ast_assigned(const struct stmt *st)
{
	return st->kind == ST_LET ? st->let.value : st->kind == ST_ASSIGN ? st->assign.value : NULL;
}

static bool are_same(struct expr *const *x, struct expr *const *y, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!ast_is_same(x[i], y[i]))
			return false;
	return true;
}

bool ast_is_same(const struct expr *x, const struct expr *y)
{
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case EX_INT: return x->integer.value == y->integer.value;
	case EX_STRING:
		return x->string.len == y->string.len &&
		       memcmp(x->string.text, y->string.text, x->string.len) == 0;
	case EX_UNARY:
		return x->unary.op == y->unary.op && x->unary.operand->kind == EX_INT &&
		       ast_is_same(x->unary.operand, y->unary.operand);
	case EX_NAME:
		return x->name.builtin && x->name.builtin == y->name.builtin &&
		       x->name.word == y->name.word;
	case EX_VAR: return x->var.var && x->var.var == y->var.var;
	case EX_MAP:
		return x->map.map && x->map.map == y->map.map && x->map.n_keys == y->map.n_keys &&
		       are_same(x->map.keys, y->map.keys, x->map.n_keys);
	case EX_FIELD:
		return strcmp(x->field.name, y->field.name) == 0 &&
		       ast_is_same(x->field.object, y->field.object);
	case EX_INDEX:
		return ast_is_same(x->index.object, y->index.object) &&
		       ast_is_same(x->index.at, y->index.at);
	default: return false;
	}
}

bool ast_has_trait(const struct probe *p, uint32_t trait)
{
	for (uint32_t i = 0; i < p->n_points; i++)
		if (probe_rows[p->points[i].id].traits & trait)
			return true;
	return false;
}

static bool is_duration(const struct type_name *n)
{
	return !n->of && !n->n_suffixes && type_is_duration_name(n->name);
}

static bool is_zero(const struct expr *e)
{
	return e->kind == EX_INT && !e->integer.value;
}

/* Branches of `?:`, of which one may be 0. */
static bool are_times(const struct expr *x, const struct expr *y)
{
	return (ast_is_time(x) && (is_zero(y) || ast_is_time(y))) || (is_zero(x) && ast_is_time(y));
}

bool ast_is_time(const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	switch (e->kind) {
	case EX_NAME: return b && b->traits & TR_NSECS;
	case EX_CALL:
		if (b && b->kind == BUILTIN_AGG)
			return e->call.n_args && ast_is_time(e->call.args[0]) &&
			       (e->call.n_args == 1 || (e->type && agg_has_buckets(e->type)));
		if (b && b->traits & TR_NSECS)
			return true;
		return b && b->traits & TR_ENTRY && e->call.n_args && ast_is_time(e->call.args[0]);
	case EX_VAR: return e->var.var && held_is_time(&e->var.var->held);
	case EX_MAP: return e->map.map && held_is_time(&e->map.map->held);
	case EX_BINARY:
		if (e->binary.op == OP_SUB)
			return ast_is_time(e->binary.left);
		return e->binary.op == OP_ADD &&
		       (ast_is_time(e->binary.left) || ast_is_time(e->binary.right));
	case EX_CAST: return is_duration(e->cast.to) || ast_is_time(e->cast.operand);
	case EX_TERNARY: return e->ternary.then && are_times(e->ternary.then, e->ternary.otherwise);
	default: return false;
	}
}

bool ast_is_clock(const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	switch (e->kind) {
	case EX_NAME: return b && b->traits & TR_CLOCK;
	case EX_CALL:
		return b && ((b->kind == BUILTIN_AGG && e->call.n_args &&
			      ast_is_clock(e->call.args[0])) ||
			     b->traits & TR_CLOCK);
	case EX_VAR: return e->var.var && e->var.var->held.has_clocks;
	case EX_MAP: return e->map.map && e->map.map->held.has_clocks;
	case EX_BINARY:
		if (e->binary.op == OP_SUB)
			return ast_is_clock(e->binary.left) && !ast_is_clock(e->binary.right) &&
			       (e->binary.right->kind == EX_INT || ast_is_time(e->binary.right));
		return e->binary.op == OP_ADD &&
		       (ast_is_clock(e->binary.left) || ast_is_clock(e->binary.right));
	case EX_CAST: return !is_duration(e->cast.to) && ast_is_clock(e->cast.operand);
	case EX_TERNARY: return e->ternary.then && ast_is_clock(e->ternary.then);
	default: return false;
	}
}
