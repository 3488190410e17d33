/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 1: names. Resolves attach points (sema_points.c), builtins and functions
 * (sema_name_builtin.c), variables with their lexical scopes, and maps (sema_name_map.c).
 * Rewrites delete(@m, key) to delete(@m[key]), and pid() to pid.
 * Before: the tree as parsed. After: call.builtin, name.builtin, var.var and map.map are set, or
 * NULL where an error was reported; probe->points, probe->vars and program->maps are filled.
 */
#include "parser/sema/param.h"
#include "parser/sema/sema_name.h"
#include "parser/sema/sema_type.h"

/* The visible variables: a stack that is cut back at the end of a block. */
struct scope {
	struct sema *s;
	struct var **visible;
	uint32_t n;
	struct stmt *loop;    /* around this point */
	struct stmt *outside; /* of these, the innermost that is around a fn's body */
};

static void name_expr(struct scope *sc, struct expr *e);
static void name_block(struct scope *sc, struct block *b);
static void name_stmt(struct scope *sc, struct stmt *st);
static void name_stmts(struct scope *sc, struct block *b);

static void name_child(struct expr *child, void *ctx)
{
	name_expr(ctx, child);
}

static bool is_of(const struct var *v, const struct expr *e)
{
	return v->mark == e->var.mark && strcmp(v->name, e->var.name) == 0;
}

static struct var *find_var(struct scope *sc, const struct expr *e)
{
	for (uint32_t i = sc->n; i-- > 0;)
		if (is_of(sc->visible[i], e))
			return sc->visible[i];
	return NULL;
}

/* Report that a variable of that name existed in a block that has ended. False when there was
 * none. */
static bool was_in_block(struct sema *s, const struct expr *e)
{
	for (uint32_t i = s->probe->n_vars; i-- > 0;) {
		const struct var *v = s->probe->vars[i];

		if (!is_of(v, e))
			continue;
		diag_note(s->diags, v->first, "this one went out of scope with its block");
		return diag_hint(s->diags, "declare it before that block: let %s;", v->name), true;
	}
	return false;
}

/* Report an assignment to a parameter of the command line. */
static bool refuse_param(struct scope *sc, const struct expr *e)
{
	const struct param_item *item = param_find(sc->s, e->var.name);

	if (!item)
		return false;
	diag_error(sc->s->diags, e->span, "redeclared",
		   "%s is a parameter and cannot be assigned to", item->name);
	return diag_note(sc->s->diags, item->name_span, "declared here"), true;
}

static bool is_variable_builtin(const char *word)
{
	const struct builtin *b = builtin_find(word);

	return b && b->kind == BUILTIN_VAR;
}

/* A variable of blocks that have ended. */
static bool find_ended(struct scope *sc, struct expr *e)
{
	e->var.var = name_hoist(sc->s, e);
	if (!e->var.var)
		return false;
	arena_push(sc->s->arena, sc->visible, sc->n, e->var.var);
	return true;
}

static void name_var(struct scope *sc, struct expr *e)
{
	const char *near;

	e->var.var = find_var(sc, e);
	if (e->var.var || find_ended(sc, e) || refuse_param(sc, e) || name_read_early(sc->s, e))
		return;
	diag_error(sc->s->diags, e->span, "undefined-variable",
		   "%s is read but never assigned in this scope", e->var.name);
	near = NEAREST(e->var.name, sc->visible, sc->n,
		       (*item)->mark == e->var.mark ? (*item)->name : NULL);
	if (was_in_block(sc->s, e))
		return;
	if (near)
		diag_hint(sc->s->diags, "did you mean '%s'?", near);
	else if (is_variable_builtin(e->var.name + 1))
		diag_hint(sc->s->diags, "builtins have no $: write %s", e->var.name + 1);
	else if (!name_hint_shell(sc->s, e) && !name_hint_other_probe(sc->s, e))
		diag_hint(sc->s->diags,
			  "assign it first: %s = …; it is visible up to the end of its block, and "
			  "a map, @%s, in all probes",
			  e->var.name, e->var.name + 1);
}

static struct var *new_var(struct scope *sc, struct expr *e)
{
	struct probe *p = sc->s->probe;
	struct var *v = arena_new_of(sc->s->arena, struct var);

	*v = (struct var){.name = e->var.name,
			  .mark = e->var.mark,
			  .first = e->span,
			  .is_of_branch = sc->s->n_undecided != 0,
			  .id = p->n_vars};
	arena_push(sc->s->arena, p->vars, p->n_vars, v);
	arena_push(sc->s->arena, sc->visible, sc->n, v);
	return v;
}

/* The target of an assignment. Makes a new variable when the name is not visible. */
static void declare_var(struct scope *sc, struct expr *e)
{
	struct var *v = find_var(sc, e);

	if (!v)
		refuse_param(sc, e);
	e->var.var = v ? v : new_var(sc, e);
	if (!v || !v->is_loop)
		return;
	diag_error(sc->s->diags, e->span, "loop-variable",
		   "the loop variable %s cannot be assigned to", v->name);
	diag_hint(sc->s->diags, "copy it to another variable: $x = %s;", v->name);
}

/* The variable of a `let` or `for`, which must not be visible already. */
static void make_var(struct scope *sc, struct expr *e, bool is_loop)
{
	struct var *v = find_var(sc, e);

	if (!v)
		refuse_param(sc, e);
	e->var.var = v ? v : new_var(sc, e);
	e->var.var->is_in_block |= !v;
	if (!v)
		return;
	diag_error(sc->s->diags, e->span, "redeclared", "%s is already declared in this scope",
		   v->name);
	diag_note(sc->s->diags, v->first, "first used here");
	diag_hint(sc->s->diags,
		  is_loop ? "give the loop a variable of its own: $i, $j"
			  : "write %s = …, without 'let', to change it, or use another name",
		  v->name);
}

/* str($1), str($1 + 2): the parameter as it was written, also if it reads as a number. */
static void param_as_text(struct sema *s, struct expr *e)
{
	if (e->kind == EX_BINARY && e->binary.op == OP_ADD)
		param_as_text(s, e->binary.left);
	else if (e->kind == EX_PARAM)
		param_resolve(s, e, true);
}

/* Arguments that name a whole map are resolved at the end of the pass, by name_whole. */
static void name_args(struct scope *sc, struct expr *e)
{
	const struct builtin *b = e->call.builtin;

	for (uint32_t i = 0; i < e->call.n_args; i++) {
		if (b && b->traits & TR_TYPE && e->call.args[i]->kind == EX_MAP &&
		    !e->call.args[i]->map.n_keys) {
			e->call.args[i]->map.is_whole = true;
			continue;
		}
		if (!b && !e->call.imported && e->call.args[i]->kind == EX_MAP &&
		    !e->call.args[i]->map.n_keys)
			continue; /* the map as a whole, perhaps */
		if (b && b->traits & TR_TYPE)
			struct_name_argument(sc->s, e->call.args[i]);
		if (i == 0 && b && b->traits & TR_TEXT)
			param_as_text(sc->s, e->call.args[i]);
		if (ast_is_set_by(e, i))
			declare_var(sc, e->call.args[i]);
		else if (!ast_is_whole_map(e, i))
			name_expr(sc, e->call.args[i]);
	}
}

/* typeof(@m) is the type of the map's key: like an argument that names a whole map. */
static void name_type(struct scope *sc, const struct type_name *t)
{
	if (t->of && t->of->kind == EX_MAP && !t->of->map.n_keys)
		t->of->map.is_whole = true;
	else if (t->of)
		name_expr(sc, t->of);
}

static void name_incdec(struct scope *sc, struct expr *target)
{
	if (target->kind != EX_VAR)
		name_expr(sc, target);
	else if (find_var(sc, target) || !find_ended(sc, target))
		declare_var(sc, target);
}

static void name_value_block(struct scope *sc, struct expr *e)
{
	uint32_t before = sc->n;

	name_stmts(sc, &e->block.body);
	if (e->block.value)
		name_expr(sc, e->block.value);
	sc->n = before;
}

static void name_ternary(struct scope *sc, struct expr *e)
{
	bool is_undecided = comptime_is(e->ternary.cond);

	name_expr(sc, e->ternary.cond);
	sc->s->n_undecided += is_undecided;
	if (e->ternary.then)
		name_expr(sc, e->ternary.then);
	name_expr(sc, e->ternary.otherwise);
	sc->s->n_undecided -= is_undecided;
}

/* What is wrong in the arguments of a function that does not exist follows from that. */
static void name_args_silently(struct scope *sc, struct expr *e)
{
	struct diags *d = sc->s->diags;
	uint32_t n = d->n, n_errors = d->n_errors;

	name_args(sc, e);
	d->n = n;
	d->n_errors = n_errors;
}

static void name_expr(struct scope *sc, struct expr *e)
{
	uint32_t n_errors = sc->s->diags->n_errors;

	switch (e->kind) {
	case EX_NAME: name_builtin(sc->s, e); return;
	case EX_CALL:
		name_call(sc->s, e);
		if (e->kind == EX_CALL && getopt_resolve(sc->s, e))
			return;
		if (e->kind == EX_CALL && param_call(sc->s, e) && e->kind != EX_INT) {
			name_expr(sc, e);
			return;
		}
		if (e->kind != EX_CALL)
			return;
		name_fold_key(sc->s->arena, e);
		if (sc->s->diags->n_errors > n_errors)
			name_args_silently(sc, e);
		else
			name_args(sc, e);
		return;
	case EX_VAR:
		if (find_var(sc, e) || !param_name(sc->s, e))
			name_var(sc, e);
		return;
	case EX_MAP:
		ast_each_child(e, name_child, sc);
		name_map(sc->s, e, false);
		return;
	case EX_INCDEC: name_incdec(sc, e->incdec.target); return;
	case EX_INT:
	case EX_STRING: return;
	case EX_UNARY:
		if (name_refuse_address(sc->s, e))
			return;
		if (e->unary.op == OP_SIZEOF || e->unary.op == OP_OFFSETOF)
			struct_name_operand(sc->s, e->unary.operand);
		ast_each_child(e, name_child, sc);
		return;
	case EX_TERNARY: name_ternary(sc, e); return;
	case EX_BINARY:
	case EX_FIELD:
	case EX_TUPLE:
	case EX_RECORD:
	case EX_INDEX: ast_each_child(e, name_child, sc); return;
	case EX_CAST:
		name_type(sc, e->cast.to);
		name_expr(sc, e->cast.operand);
		return;
	case EX_TYPE: name_type(sc, e->named); return;
	case EX_PARAM: param_resolve(sc->s, e, false); return;
	case EX_BLOCK: name_value_block(sc, e); return;
	}
}

static void name_assign(struct scope *sc, struct stmt *st)
{
	name_expr(sc, st->assign.value);
	if (st->assign.target->kind == EX_VAR && st->assign.op == OP_NONE)
		declare_var(sc, st->assign.target);
	else if (st->assign.target->kind == EX_VAR)
		name_var(sc, st->assign.target);
	else
		name_expr(sc, st->assign.target);
	if (st->assign.target->kind == EX_MAP && st->assign.target->map.map)
		st->assign.target->map.map->is_assigned = true;
	name_agg_into_block(sc->s, st);
}

static bool is_in_body(const struct stmt *around)
{
	while (around && around->kind == ST_UNROLL)
		around = around->loop.around;
	return around != NULL;
}

/* Iterations of nested loops are counted, except for unrolls nested only in unrolls. */
static void place_loop(struct scope *sc, struct stmt *st)
{
	st->loop.around = sc->loop;
	st->loop.is_counted = sc->loop && (st->kind != ST_UNROLL || is_in_body(sc->loop));
	sc->s->probe->has_counted |= st->loop.is_counted;
	for (struct stmt *a = sc->loop; a && st->loop.is_counted; a = a->loop.around)
		a->loop.has_counted = true;
}

/* Report only the outermost loop that is too deep. Unrolled loops need no kernel call, so they
 * do not count. */
static void check_depth(struct scope *sc, const struct stmt *st)
{
	const struct expr *head = st->kind == ST_FOR ? st->loop.var : st->loop.cond;
	uint32_t n = 0;

	for (const struct stmt *a = st; a; a = a->loop.around)
		n += a->kind != ST_UNROLL;
	if (st->kind == ST_UNROLL || n != LIMIT_LOOPS + 1)
		return;
	diag_error(sc->s->diags, head->span, "limit-nesting",
		   "loops are nested too deeply: the kernel allows %d levels", LIMIT_LOOPS);
	diag_hint(sc->s->diags,
		  "combine two loops: for ($i : 0..10 * 20) with $i / 20 and $i %% 20");
}

static void name_loop(struct scope *sc, struct stmt *st)
{
	uint32_t before = sc->n;

	if (st->kind == ST_WHILE)
		name_expr(sc, st->loop.cond);
	if (st->kind == ST_UNROLL)
		name_expr(sc, st->loop.count);
	if (st->loop.from) {
		name_expr(sc, st->loop.from);
		name_expr(sc, st->loop.to);
	}
	if (st->kind == ST_FOR) {
		make_var(sc, st->loop.var, true);
		st->loop.var->var.var->is_loop = true;
	}
	place_loop(sc, st);
	check_depth(sc, st);
	sc->loop = st;
	name_block(sc, &st->loop.body);
	sc->loop = st->loop.around;
	sc->n = before;
}

static void name_jump(struct scope *sc, const struct stmt *st)
{
	if (sc->loop && sc->loop != sc->outside)
		return;
	diag_error(sc->s->diags, st->span, "no-loop", "'%s' outside a loop",
		   st->kind == ST_BREAK ? "break" : "continue");
	diag_hint(sc->s->diags, "return ends the probe's run; without a loop, use if");
}

/* `break` in a function cannot leave a loop of its caller, but the loop counts for the nesting. */
static void name_called(struct scope *sc, struct stmt *st)
{
	struct stmt *outside = sc->outside;

	sc->outside = sc->loop;
	name_block(sc, &st->block);
	sc->outside = outside;
}

/* True for a ternary of calls that is used as a statement, such as `pid ? printf("a") : exit()`. */
static bool is_choice(const struct expr *e)
{
	return e->kind == EX_TERNARY && e->ternary.then &&
	       (e->ternary.then->kind == EX_CALL || e->ternary.otherwise->kind == EX_CALL ||
		is_choice(e->ternary.then) || is_choice(e->ternary.otherwise));
}

static struct block block_of(struct sema *s, struct expr *e)
{
	struct block b = {0};

	arena_push(s->arena, b.items, b.n, AST_STMT(s->arena, e->span, ST_EXPR, .expr = e));
	return b;
}

/* Such a ternary is an `if`: its branches need no values. */
static void name_choice(struct scope *sc, struct stmt *st)
{
	struct expr *e = st->expr;

	st->kind = ST_IF;
	st->branch.cond = e->ternary.cond;
	st->branch.then = block_of(sc->s, e->ternary.then);
	st->branch.otherwise = block_of(sc->s, e->ternary.otherwise);
	name_stmt(sc, st);
}

static void name_stmt(struct scope *sc, struct stmt *st)
{
	bool is_undecided = st->kind == ST_IF && comptime_is(st->branch.cond);

	switch (st->kind) {
	case ST_EXPR:
		if (name_compared(sc->s, st))
			name_assign(sc, st);
		else if (is_choice(st->expr))
			name_choice(sc, st);
		else
			name_expr(sc, st->expr);
		return;
	case ST_ASSIGN: name_assign(sc, st); return;
	case ST_IF:
		name_expr(sc, st->branch.cond);
		sc->s->n_undecided += is_undecided;
		name_block(sc, &st->branch.then);
		name_block(sc, &st->branch.otherwise);
		sc->s->n_undecided -= is_undecided;
		return;
	case ST_BLOCK: name_block(sc, &st->block); return;
	case ST_CALLED: name_called(sc, st); return;
	case ST_RETURN:
		if (st->expr)
			name_expr(sc, st->expr);
		return;
	case ST_LET:
		if (st->let.value)
			name_expr(sc, st->let.value);
		if (st->let.type)
			name_type(sc, st->let.type);
		make_var(sc, st->let.var, false);
		return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: name_loop(sc, st); return;
	case ST_BREAK:
	case ST_CONTINUE: name_jump(sc, st); return;
	}
}

static void name_stmts(struct scope *sc, struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		name_stmt(sc, b->items[i]);
}

static void name_block(struct scope *sc, struct block *b)
{
	uint32_t before = sc->n;

	name_stmts(sc, b);
	sc->n = before;
}

void sema_names(struct sema *s)
{
	param_take_options(s);
	param_bind(s);
	sema_points(s);
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];
		struct scope sc = {.s = s};

		s->probe = p;
		if (p->predicate)
			name_expr(&sc, p->predicate);
		name_block(&sc, &p->body);
		name_hoist_finish(s, p);
	}
	sema_unique_tests(s);
	name_whole_maps(s);
}
