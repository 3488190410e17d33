/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How variables and maps are used: whether anything reads them, and whether a variable declared
 * without a value is read before it is set. Statements are visited in the order in which they are
 * written; what a later statement of a loop sets, an earlier one may read.
 */
#include "parser/sema/sema_advice.h"

struct usage {
	struct sema *s;
	uint32_t n_loops; /* around this point */
	bool is_last;	  /* this is the body of END, outside of branches and loops */
	bool is_type;	  /* only the type of the expression matters */
};

static void use_block(struct block *b, void *ctx);
static void use_expr(struct expr *e, void *ctx);

static void note_place(struct var *v, const struct expr *e)
{
	if (!v->place.end)
		v->place = e->span;
}

static void set_var(struct expr *e)
{
	struct var *v = e->var.var;

	if (!v)
		return;
	note_place(v, e);
	v->is_set = true;
	v->unset = 0;
}

static void read_var(const struct usage *u, struct expr *e)
{
	struct var *v = e->var.var;

	if (!v)
		return;
	v->is_read = true;
	if (!v->unset || u->is_type)
		return;
	v->is_early |= v->unset == 1 + u->n_loops;
	if (!v->early.end)
		v->early = e->span;
}

/* A variable or map that is written and not read; an index or key is. */
static void use_target(struct usage *u, struct expr *e)
{
	if (e->kind == EX_VAR)
		set_var(e);
	else
		ast_each_child(e, use_expr, u);
}

/* A value that is changed where it is, or whose address is taken. */
static void use_both(struct usage *u, struct expr *e)
{
	if (e->kind == EX_VAR)
		set_var(e);
	use_expr(e, u);
}

/* sizeof, typeof and the like: what is named is used, but its value is not read. */
static void use_type(struct usage *u, struct expr *e)
{
	bool was_type = u->is_type;

	u->is_type = true;
	use_expr(e, u);
	u->is_type = was_type;
}

static void use_unary(struct usage *u, struct expr *e)
{
	if (e->unary.op == OP_ADDRESS)
		use_both(u, e->unary.operand);
	else if (e->unary.op == OP_SIZEOF || e->unary.op == OP_OFFSETOF)
		use_type(u, e->unary.operand);
	else
		use_expr(e->unary.operand, u);
}

/* clear(), delete() */
static bool is_drop(const struct expr *e)
{
	return e->kind == EX_CALL && e->call.builtin && e->call.builtin->traits & TR_DROPS &&
	       e->call.n_args && e->call.args[0]->kind == EX_MAP;
}

static void note_drop(struct expr *e)
{
	if (is_drop(e) && e->call.args[0]->map.map)
		e->call.args[0]->map.map->is_dropped = true;
}

static void use_call(struct usage *u, struct expr *e)
{
	bool is_type = e->call.builtin && e->call.builtin->traits & TR_TYPE;

	note_drop(e);
	for (uint32_t i = 0; i < e->call.n_args; i++)
		if (ast_is_set_by(e, i))
			set_var(e->call.args[i]);
		else if (is_type)
			use_type(u, e->call.args[i]);
		else
			use_expr(e->call.args[i], u);
}

static void use_expr(struct expr *e, void *ctx)
{
	struct usage *u = ctx;

	switch (e->kind) {
	case EX_VAR: read_var(u, e); return;
	case EX_MAP:
		if (e->map.map)
			e->map.map->is_read = true;
		ast_each_child(e, use_expr, u);
		return;
	case EX_CALL: use_call(u, e); return;
	case EX_INCDEC: use_both(u, e->incdec.target); return;
	case EX_UNARY: use_unary(u, e); return;
	case EX_TYPE:
		if (e->named->of)
			use_type(u, e->named->of);
		return;
	case EX_CAST:
		if (e->cast.to->of)
			use_type(u, e->cast.to->of);
		use_expr(e->cast.operand, u);
		return;
	case EX_BLOCK:
	case EX_INT:
	case EX_STRING:
	case EX_NAME:
	case EX_BINARY:
	case EX_TERNARY:
	case EX_FIELD:
	case EX_PARAM:
	case EX_TUPLE:
	case EX_RECORD:
	case EX_INDEX: ast_each_below(e, use_expr, use_block, u); return;
	}
}

/* clear(@m), delete(@m, key): as a statement it reads no more than the key. */
static void use_drop(struct usage *u, struct expr *e)
{
	struct expr *m = e->call.args[0];

	note_drop(e);
	if (u->is_last && m->map.map && !m->map.n_keys)
		m->map.map->is_emptied = true;
	use_target(u, m);
}

static void use_effect(struct usage *u, struct expr *e)
{
	if (is_drop(e))
		use_drop(u, e);
	else if (e->kind == EX_INCDEC)
		use_target(u, e->incdec.target);
	else
		use_expr(e, u);
}

static void use_let(struct usage *u, struct stmt *st)
{
	struct var *v = st->let.var->var.var;

	if (v && st->span.start == st->let.var->span.start)
		v->is_read = true; /* of `for ($k, $v : @m)`: the other one may be wanted */
	if (st->let.type && st->let.type->of)
		use_type(u, st->let.type->of);
	if (st->let.value)
		use_expr(st->let.value, u);
	if (st->let.value) {
		arena_push(u->s->arena, u->s->assigns, u->s->n_assigns, st);
		set_var(st->let.var);
	} else if (v) {
		note_place(v, st->let.var);
		v->unset = 1 + u->n_loops;
	}
}

static void use_loop(struct usage *u, struct stmt *st)
{
	struct expr *const before[] = {st->loop.from, st->loop.to, st->loop.over, st->loop.count};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (before[i])
			use_expr(before[i], u);
	u->n_loops++;
	if (st->loop.cond)
		use_expr(st->loop.cond, u);
	use_block(&st->loop.body, u);
	u->n_loops--;
}

static void use_assign(struct usage *u, struct stmt *st)
{
	use_expr(st->assign.value, u);
	use_target(u, st->assign.target);
	arena_push(u->s->arena, u->s->assigns, u->s->n_assigns, st);
}

static void use_stmt(struct usage *u, struct stmt *st)
{
	bool was_last = u->is_last;

	u->is_last &= st->kind != ST_IF && !ast_is_loop(st);
	if (st->kind == ST_EXPR) {
		use_effect(u, st->expr);
	} else if (st->kind == ST_ASSIGN) {
		use_assign(u, st);
	} else if (st->kind == ST_LET) {
		use_let(u, st);
	} else if (ast_is_loop(st)) {
		use_loop(u, st);
	} else {
		ast_each_head(st, use_expr, u);
		ast_each_block(st, use_block, u);
	}
	u->is_last = was_last;
}

static void use_block(struct block *b, void *ctx)
{
	for (uint32_t i = 0; i < b->n; i++)
		use_stmt(ctx, b->items[i]);
}

void usage_note(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];
		struct usage u = {.s = s, .is_last = ast_has_trait(p, PR_LAST) && !p->predicate};

		if (p->predicate)
			use_expr(p->predicate, &u);
		use_block(&p->body, &u);
	}
}

/* ---- reports ----------------------------------------------------------------------------- */

/* True in the branch of an `if comptime` that is not taken. */
static bool is_untaken(const struct sema *s, struct span span)
{
	for (uint32_t i = 0; i < s->n_untaken; i++)
		if (span.start >= s->untaken[i].start && span.end <= s->untaken[i].end)
			return true;
	return false;
}

static void advise_var(struct sema *s, const struct var *v)
{
	if (is_untaken(s, v->early.end ? v->early : v->place))
		return;
	if (v->early.end && (v->is_early || !v->is_set)) {
		diag_warning(s->diags, v->early, "unset-variable",
			     "%s has no value yet and is read as 0", v->name);
		diag_note(s->diags, v->place, "declared here");
		diag_hint(s->diags, "give it a value first: let %s = …;", v->name);
	} else if (!v->is_read && !v->is_set) {
		diag_warning(s->diags, v->place, "unused-variable", "%s is declared but never used",
			     v->name);
		diag_hint(s->diags, "remove it");
	} else if (!v->is_read) {
		diag_warning(s->diags, v->place, "unused-variable", "%s is set but never read",
			     v->name);
		diag_hint(s->diags, "remove it; to call a function for its effect, write _ = …;");
	}
}

static void advise_map(struct sema *s, const struct map *m)
{
	bool is_printed = s->program->config.print_maps_on_exit && !m->is_emptied;

	if (m->is_read || is_printed || is_untaken(s, m->first) || sema_is_absent_map(s, m->name))
		return;
	diag_warning(s->diags, m->first, "unread-map", "%s is written but never read or printed",
		     m->name);
	diag_hint(s->diags,
		  m->is_emptied ? "END clears it, so that it is not printed there: print(%s) before"
				: "print_maps_on_exit is off: print(%s) shows it",
		  m->name);
}

void advise_usage(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		const struct probe *p = s->program->probes[i];

		for (uint32_t j = 0; j < p->n_vars && !p->is_unused_fn; j++)
			if (!p->vars[j]->mark && !p->vars[j]->is_loop)
				advise_var(s, p->vars[j]);
	}
	for (uint32_t i = 0; i < s->program->n_maps; i++)
		advise_map(s, s->program->maps[i]);
}
