/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of user memory whose address is known before a body runs: see prefault.h.
 */
#include "parser/lang/prefault.h"
#include "parser/lang/builtin.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/type_space.h"

enum {
	MOST_SEEN = 32,	    /* reads that are remembered, so that none is made twice */
	MOST_VARIABLES = 4, /* whose values are computed from one another */
};

struct walk {
	const struct probe *probe;
	bool has_span;
	prefault_fn *fn;
	void *ctx;
	struct prefault_cond conds[PREFAULT_CONDS];
	uint32_t n_conds;
	const struct expr *seen[MOST_SEEN];
	uint32_t n_seen;
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

/* ---- the value of a variable ---------------------------------------------------------------- */

struct assignments {
	const struct var *var;
	struct expr *value;
	uint32_t n;
};

static void find_in_block(struct block *b, void *ctx);

static void find_in_expr(struct expr *e, void *ctx)
{
	struct assignments *a = ctx;
	struct expr *target = e->kind == EX_INCDEC ? e->incdec.target : NULL;

	if (e->kind == EX_CALL && e->call.n_args && ast_is_set_by(e, e->call.n_args - 1))
		target = e->call.args[e->call.n_args - 1];
	if (target && target->kind == EX_VAR && target->var.var == a->var)
		a->n += 2;
	ast_each_below(e, find_in_expr, find_in_block, ctx);
}

static void find_in_block(struct block *b, void *ctx)
{
	struct assignments *a = ctx;

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];
		struct expr *target = ast_target(st), *value = ast_assigned(st);

		if (target && value && target->kind == EX_VAR && target->var.var == a->var) {
			a->n += st->kind == ST_ASSIGN && st->assign.op != OP_NONE ? 2 : 1;
			a->value = value;
		}
		ast_each_head(st, find_in_expr, ctx);
		ast_each_block(st, find_in_block, ctx);
	}
}

struct expr *prefault_value(const struct probe *p, const struct var *v)
{
	struct assignments a = {.var = v};

	if (v->is_loop || type_is_memory(v->type))
		return NULL;
	if (p->predicate)
		find_in_expr(p->predicate, &a);
	find_in_block((struct block *)&p->body, &a);
	return a.n == 1 ? a.value : NULL;
}

/* ---- what is known before the body ---------------------------------------------------------- */

static bool is_known(const struct walk *w, const struct expr *e, uint32_t depth);

/* Is the address of this place known, and in user memory? */
static bool is_known_place(const struct walk *w, const struct expr *e, uint32_t depth)
{
	const struct expr *object = ast_place_object(e);

	if (!ast_is_place(e) || ast_place_space(e) == SPACE_KERNEL ||
	    (e->kind == EX_INDEX && !is_known(w, e->index.at, depth)))
		return false;
	if (object->type->kind == TY_POINTER || e->kind == EX_UNARY)
		return type_is_in_user_space(object->type, true) && is_known(w, object, depth);
	return is_known_place(w, object, depth);
}

static bool is_known_call(const struct walk *w, const struct expr *e, uint32_t depth)
{
	const struct builtin *b = e->call.builtin;

	if (b && b->traits & TR_ENTRY)
		return w->has_span;
	if (!b || !(b->traits & TR_PLAIN))
		return false;
	for (uint32_t i = 0; i < e->call.n_args; i++)
		if (e->call.args[i]->kind != EX_STRING && !is_known(w, e->call.args[i], depth))
			return false;
	return true;
}

static bool is_known_variable(const struct walk *w, const struct var *v, uint32_t depth)
{
	const struct expr *value = depth ? prefault_value(w->probe, v) : NULL;

	return value && is_known(w, value, depth - 1);
}

/* Is it a number that can be computed before the body? That may read user memory, but neither maps
 * nor the kernel, and loses nothing that the body does not lose. `depth` limits variables that are
 * assigned to one another. */
static bool is_known(const struct walk *w, const struct expr *e, uint32_t depth)
{
	if (!type_is_integral(e->type) && e->type->kind != TY_POINTER)
		return false;
	switch (e->kind) {
	case EX_INT: return true;
	case EX_NAME: return is_plain_name(e);
	case EX_VAR: return is_known_variable(w, e->var.var, depth);
	case EX_FIELD: return ast_is_args_field(e) || is_known_place(w, e, depth);
	case EX_INDEX: return is_known_place(w, e, depth);
	case EX_CALL: return is_known_call(w, e, depth);
	case EX_CAST: return is_known(w, e->cast.operand, depth);
	case EX_UNARY:
		if (e->unary.op == OP_DEREF)
			return is_known_place(w, e, depth);
		return e->unary.op == OP_ADDRESS ? is_known_place(w, e->unary.operand, depth)
						 : is_known(w, e->unary.operand, depth);
	case EX_BINARY:
		return e->binary.op != OP_DIV && e->binary.op != OP_MOD &&
		       is_known(w, e->binary.left, depth) && is_known(w, e->binary.right, depth);
	case EX_TERNARY:
		return is_known(w, e->ternary.cond, depth) &&
		       (!e->ternary.then || is_known(w, e->ternary.then, depth)) &&
		       is_known(w, e->ternary.otherwise, depth);
	default: return false;
	}
}

/* ---- reads ---------------------------------------------------------------------------------- */

static bool is_read(const struct walk *w, const struct expr *e)
{
	const struct builtin *b = e->kind == EX_CALL ? e->call.builtin : NULL;

	if (b && b->traits & TR_BYTES)
		return is_known(w, e->call.args[0], MOST_VARIABLES) &&
		       type_is_in_user_space(e->call.args[0]->type, true);
	return ast_is_place(e) && type_is_memory(e->type) && is_known_place(w, e, MOST_VARIABLES);
}

static bool is_same_read(const struct expr *x, const struct expr *y)
{
	bool has_value = x->type->kind != TY_VOID && y->type->kind != TY_VOID;

	if (x->kind != y->kind || !has_value || x->type->size < y->type->size)
		return false;
	return x->kind == EX_CALL ? ast_is_same(x->call.args[0], y->call.args[0])
				  : ast_is_same(x, y);
}

/* Reads that are made in any case are made once. */
static void add_read(struct walk *w, struct expr *e)
{
	for (uint32_t i = 0; i < w->n_seen; i++)
		if (is_same_read(w->seen[i], e))
			return;
	if (!w->n_conds && w->n_seen < MOST_SEEN)
		w->seen[w->n_seen++] = e;
	w->fn(&(struct prefault_read){e, w->conds, w->n_conds}, w->ctx);
}

/* What follows is only done if `e` is true (or false). */
static void add_cond(struct walk *w, struct expr *e, bool is_true)
{
	if (e->kind == EX_BINARY && e->binary.op == (is_true ? OP_LAND : OP_LOR)) {
		add_cond(w, e->binary.left, is_true);
		add_cond(w, e->binary.right, is_true);
	} else if (w->n_conds < PREFAULT_CONDS && is_known(w, e, MOST_VARIABLES)) {
		w->conds[w->n_conds++] = (struct prefault_cond){e, is_true};
	}
}

static void each_block(struct block *b, void *ctx);
static void each_expr(struct expr *e, void *ctx);

static void each_if(struct walk *w, struct expr *cond, bool is_true, struct expr *e)
{
	uint32_t n = w->n_conds;

	add_cond(w, cond, is_true);
	each_expr(e, w);
	w->n_conds = n;
}

/* The pointer from which the place is reached. */
static struct expr *base_of(struct expr *e)
{
	while (ast_is_place(e) && ast_place_object(e)->type->kind != TY_POINTER &&
	       e->kind != EX_UNARY)
		e = ast_place_object(e);
	return ast_place_object(e);
}

/* Are the arguments evaluated at another event, or not at all? */
static bool is_elsewhere(const struct expr *e)
{
	return e->kind == EX_CALL && e->call.builtin &&
	       e->call.builtin->traits & (TR_ENTRY | TR_TYPE);
}

static void each_expr(struct expr *e, void *ctx)
{
	struct walk *w = ctx;

	if (is_read(w, e)) {
		add_read(w, e);
	} else if (e->kind == EX_TERNARY) {
		each_expr(e->ternary.cond, w);
		if (e->ternary.then)
			each_if(w, e->ternary.cond, true, e->ternary.then);
		each_if(w, e->ternary.cond, false, e->ternary.otherwise);
	} else if (e->kind == EX_BINARY && (e->binary.op == OP_LAND || e->binary.op == OP_LOR)) {
		each_expr(e->binary.left, w);
		each_if(w, e->binary.left, e->binary.op == OP_LAND, e->binary.right);
	} else if (ast_is_place(e)) {
		each_expr(base_of(e), w);
	} else if (e->kind == EX_UNARY && e->unary.op == OP_ADDRESS &&
		   ast_is_place(e->unary.operand)) {
		each_expr(base_of(e->unary.operand), w);
	} else if (!is_elsewhere(e)) {
		ast_each_below(e, each_expr, each_block, w);
	}
}

static void each_branch(struct walk *w, struct expr *cond, bool is_true, struct block *b)
{
	uint32_t n = w->n_conds;

	add_cond(w, cond, is_true);
	each_block(b, w);
	w->n_conds = n;
}

static void each_block(struct block *b, void *ctx)
{
	struct walk *w = ctx;

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		ast_each_head(st, each_expr, ctx);
		if (st->kind == ST_IF) {
			each_branch(w, st->branch.cond, true, &st->branch.then);
			each_branch(w, st->branch.cond, false, &st->branch.otherwise);
		} else {
			ast_each_block(st, each_block, ctx);
		}
	}
}

void prefault_body_reads(const struct probe *p, bool has_span, prefault_fn *fn, void *ctx)
{
	struct walk w = {.probe = p, .has_span = has_span, .fn = fn, .ctx = ctx};

	if (p->predicate) {
		each_expr(p->predicate, &w);
		if (!prefault_is_plain(p->predicate)) /* else it was tested before */
			add_cond(&w, p->predicate, true);
	}
	each_block((struct block *)&p->body, &w);
}

void prefault_entry_reads(const struct probe *p, prefault_fn *fn, void *ctx)
{
	struct walk w = {.probe = p, .fn = fn, .ctx = ctx};

	for (uint32_t i = 0; i < p->n_entries; i++)
		each_expr(p->entries[i]->call.args[0], &w);
}
