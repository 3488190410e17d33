/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room of a probe: memory for the values that are too long for the BPF stack. How much of it a
 * body takes at the same time is found here by walking it as codegen does (gen_text.c): variables
 * keep their place; what a statement calculates is given back behind it, and what became a register
 * at once. What finds no room is an error, at the value that was one too many.
 */
#include "parser/lang/builtin.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/plan/plan_build.h"
#include "parser/lang/ast_query.h"

struct scratch_walk {
	struct planner *pl;
	uint32_t used, most;
	const struct expr *over; /* the first that found no room */
	uint32_t over_size, over_beside;
};

static void walk(struct expr *e, void *ctx);
static void walk_into(struct scratch_walk *r, struct expr *e, const struct type *t);
static void walk_block(struct scratch_walk *r, const struct block *b);

static void take(struct scratch_walk *r, uint32_t size, const struct expr *e)
{
	uint32_t before = r->used;

	if (size <= LIMIT_ON_STACK)
		return;
	r->used += plan_align(size, 8);
	r->most = r->used > r->most ? r->used : r->most;
	if (r->used <= SONDE_SCRATCH_BYTES || r->over)
		return;
	r->over = e;
	r->over_size = size;
	r->over_beside = before;
}

/* ---- expressions ------------------------------------------------------------------------- */

static void walk_items(struct scratch_walk *r, struct expr *list)
{
	for (uint32_t i = 0; i < list->list.n; i++)
		walk_into(r, list->list.items[i], list->type->members[i].type);
}

static void walk_parts(struct scratch_walk *r, struct expr *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i])
			walk(parts[i], r);
}

/* A value that is needed only where it is stored, as `t`; NULL: as it is. */
static void walk_into(struct scratch_walk *r, struct expr *e, const struct type *t)
{
	uint32_t mark = r->used;

	if (!t || !ast_is_built_in_place(e, t))
		walk(e, r);
	else if (e->kind == EX_CALL)
		walk_parts(r, e->call.args, e->call.n_args);
	else
		walk_items(r, e);
	r->used = mark;
}

/* Is it known when compiling, so that it is nowhere until it is stored? */
static bool is_text(const struct expr *e)
{
	if (e->kind == EX_CAST)
		return e->type->kind == TY_STRING && is_text(e->cast.operand);
	if (e->kind == EX_CALL && e->call.builtin == &builtins[BI_str])
		return is_text(e->call.args[0]);
	return e->kind == EX_STRING || (e->kind == EX_BLOCK && is_text(e->block.value));
}

static const struct plan_map *map_of(const struct scratch_walk *r, const struct expr *e)
{
	return &r->pl->plan->maps[e->map.map->id];
}

/* A long key is there before its parts, which are stored one by one. */
static void walk_key(struct scratch_walk *r, struct expr *e)
{
	uint32_t size = map_of(r, e)->key_size;
	struct expr **parts = ast_key_parts(e);

	if (size <= LIMIT_KEY_ON_STACK) {
		for (uint32_t i = 0; i < e->map.n_keys; i++)
			walk(e->map.keys[i], r);
		return;
	}
	take(r, size, e);
	if (!parts)
		walk_into(r, e->map.keys[0], NULL);
	for (uint32_t i = 0; parts && i < e->map.map->n_keys; i++)
		walk_into(r, parts[i], map_of(r, e)->keys[i].type);
}

static void walk_map(struct scratch_walk *r, struct expr *e)
{
	walk_key(r, e);
	if (e->map.map->value->kind != TY_AGG)
		take(r, map_of(r, e)->value_size, e);
}

static void walk_values(struct scratch_walk *r, struct expr *call)
{
	bool is_copied = r->pl->is_iter; /* seq_printf takes addresses */

	for (uint32_t i = 0; i < call->call.n_args; i++) {
		struct expr *arg = call->call.args[i];

		if (ast_is_whole_map(call, i))
			continue;
		walk(arg, r);
		if (is_copied && type_is_memory(arg->type))
			take(r, arg->type->size, arg);
	}
}

static void walk_call(struct scratch_walk *r, struct expr *e)
{
	const struct builtin *b = e->call.builtin;

	if (b->traits & TR_ENTRY) /* kept by the start */
		return;
	if (b->id == BI_delete || b->id == BI_has_key) {
		walk_key(r, e->call.args[0]);
		return;
	}
	walk_values(r, e);
	if (b->id == BI_str && e->call.args[0]->type->kind != TY_STRING)
		take(r, e->type->size, e);
}

static void walk_list(struct scratch_walk *r, struct expr *e)
{
	take(r, e->type->size, e);
	walk_items(r, e);
}

static void walk_ternary(struct scratch_walk *r, struct expr *e)
{
	if (type_is_memory(e->type))
		take(r, e->type->size, e);
	walk(e->ternary.cond, r);
	if (e->ternary.then)
		walk_into(r, e->ternary.then, e->type);
	walk_into(r, e->ternary.otherwise, e->type);
}

static void walk_cast(struct scratch_walk *r, struct expr *e)
{
	walk(e->cast.operand, r);
	if (e->type->kind == TY_ARRAY || (e->type->kind == TY_STRING && !is_text(e) &&
					  e->type->size != e->cast.operand->type->size))
		take(r, e->type->size, e);
}

static void walk_index(struct scratch_walk *r, struct expr *e)
{
	const struct type *t = e->index.object->type;

	walk(e->index.object, r);
	if (t->kind == TY_STRING && is_text(e->index.object))
		take(r, t->size, e->index.object);
	walk(e->index.at, r);
	if (t->kind == TY_POINTER && type_is_memory(e->type))
		take(r, e->type->size, e);
}

static bool is_field_of_args(const struct expr *e)
{
	const struct type *t = e->field.object->type;

	return !t || !type_is_compound(t);
}

static void walk_by_kind(struct scratch_walk *r, struct expr *e)
{
	switch (e->kind) {
	case EX_MAP: walk_map(r, e); return;
	case EX_INCDEC:
		if (e->incdec.target->kind == EX_MAP)
			walk_key(r, e->incdec.target);
		return;
	case EX_CALL: walk_call(r, e); return;
	case EX_TERNARY: walk_ternary(r, e); return;
	case EX_CAST: walk_cast(r, e); return;
	case EX_TUPLE:
	case EX_RECORD: walk_list(r, e); return;
	case EX_INDEX: walk_index(r, e); return;
	case EX_BLOCK:
		walk_block(r, &e->block.body);
		walk(e->block.value, r);
		return;
	case EX_FIELD:
		if (!is_field_of_args(e))
			walk(e->field.object, r);
		else if (type_is_memory(e->type))
			take(r, e->type->size, e);
		return;
	default: /* operators, and what is small */
		ast_each_child(e, walk, r);
		if (e->kind == EX_UNARY && type_is_memory(e->type)) /* read at a pointer */
			take(r, e->type->size, e);
		return;
	}
}

static void walk(struct expr *e, void *ctx)
{
	struct scratch_walk *r = ctx;
	uint32_t mark = r->used;

	walk_by_kind(r, e);
	if (!type_is_memory(e->type))
		r->used = mark;
}

/* ---- statements -------------------------------------------------------------------------- */

/* A long value is handed to the kernel from where it is, if it looks like the map's. */
static bool is_stored_from_its_place(const struct plan_map *m, const struct expr *value)
{
	return type_is_memory(value->type) && !is_text(value) && m->value_size == m->value->size &&
	       type_equal(value->type, m->value);
}

static void walk_var(struct scratch_walk *r, const struct var *v, struct expr *value)
{
	if (ast_is_built_in_place(value, v->type) && !ast_mentions(value, v))
		walk_into(r, value, v->type);
	else
		walk(value, r);
}

static void walk_assign(struct scratch_walk *r, struct stmt *st)
{
	struct expr *target = st->assign.target, *value = st->assign.value;
	const struct plan_map *m = target->kind == EX_MAP ? map_of(r, target) : NULL;

	if (!m) {
		walk_var(r, target->var.var, value);
		return;
	}
	walk(value, r);
	walk_key(r, target);
	if (m->kind == PM_HASH && !is_stored_from_its_place(m, value))
		take(r, m->value_size, target);
}

static void walk_stmt(struct scratch_walk *r, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR: walk(st->expr, r); return;
	case ST_ASSIGN: walk_assign(r, st); return;
	case ST_IF:
		walk(st->branch.cond, r);
		walk_block(r, &st->branch.then);
		walk_block(r, &st->branch.otherwise);
		return;
	case ST_BLOCK: walk_block(r, &st->block); return;
	case ST_RETURN: walk_parts(r, &st->expr, 1); return;
	case ST_LET:
		if (st->let.value)
			walk_var(r, st->let.var->var.var, st->let.value);
		return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL:
		walk_parts(r, (struct expr *[]){st->loop.cond, st->loop.from, st->loop.to}, 3);
		walk_block(r, &st->loop.body);
		return;
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

static void walk_block(struct scratch_walk *r, const struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t mark = r->used;

		walk_stmt(r, b->items[i]);
		r->used = mark;
	}
}

static void report(struct scratch_walk *r, uint32_t of_vars)
{
	struct diags *d = r->pl->diags;

	if (!r->over)
		return;
	diag_error(
		d, r->over->span, "limit-room",
		"this takes %u bytes beside %u that are in use: a probe has room for %d bytes of long "
		"strings, keys and tuples",
		r->over_size, r->over_beside, SONDE_SCRATCH_BYTES);
	if (of_vars > SONDE_SCRATCH_BYTES / 2)
		diag_hint(d,
			  "its variables keep %u bytes: use fewer, or read fewer bytes: str(x, 64)",
			  of_vars);
	else if (r->pl->program->config.max_strlen > LIMIT_STR)
		diag_hint(
			d,
			"max_strlen is %llu for every str(): read fewer bytes where they do, str(x, "
			"64), or do less in one statement",
			(unsigned long long)r->pl->program->config.max_strlen);
	else
		diag_hint(d, "read fewer bytes, str(x, 64), or do less in one statement");
}

/* A variable found no room: it is blamed where it was first assigned. */
static bool take_vars(struct scratch_walk *r, const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_vars; i++) {
		const struct var *v = p->vars[i];
		uint32_t size = type_is_memory(v->type) ? plan_align(v->type->size, 8) : 8;

		if (size > LIMIT_ON_STACK && r->used + size > SONDE_SCRATCH_BYTES) {
			diag_error(
				r->pl->diags, v->first, "limit-room",
				"%s takes %u bytes beside %u of other variables: a probe has room for %d",
				v->name, size, r->used, SONDE_SCRATCH_BYTES);
			diag_hint(r->pl->diags,
				  "use fewer variables, or read fewer bytes: str(x, 64)");
			return false;
		}
		take(r, size, NULL);
	}
	return true;
}

uint32_t plan_scratch(struct planner *pl, struct probe *p)
{
	struct scratch_walk start = {.pl = pl}, body = {.pl = pl};
	uint32_t of_vars;

	for (uint32_t i = 0; i < p->n_entries; i++)
		walk_into(&start, p->entries[i]->call.args[0], p->entries[i]->type);
	report(&start, 0);
	if (!take_vars(&body, p))
		return 0;
	of_vars = body.used;
	if (p->predicate)
		walk_into(&body, p->predicate, NULL);
	walk_block(&body, &p->body);
	report(&body, of_vars);
	return start.most > body.most ? start.most : body.most;
}
