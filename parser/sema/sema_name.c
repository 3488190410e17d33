/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 1: names. Resolves builtins, functions, scratch variables (lexical scopes) and maps (one a
 * script); attach points before them, in sema_points.c.
 * Rewrites delete(@m, key) to delete(@m[key]), and pid() to pid.
 * Before: a tree as parsed. After: call.builtin, name.builtin, var.var and map.map are set, or NULL
 * where an error was reported; probe->points, probe->vars and program->maps are filled.
 */
#include "parser/base/arena.h"
#include "parser/lang/unimplemented.h"
#include "parser/base/limits.h"
#include "parser/base/nearest.h"
#include "parser/sema/param.h"
#include "parser/sema/sema.h"
#include "parser/lang/foreign_word.h"
#include <string.h>
#include <strings.h>

/* The variables visible at a point: a stack, cut back when a block ends. */
struct scope {
	struct sema *s;
	struct var **visible;
	uint32_t n;
	struct stmt *loop; /* around this point */
};

static void name_expr(struct scope *sc, struct expr *e);
static void name_block(struct scope *sc, struct block *b);
static void name_stmts(struct scope *sc, struct block *b);

static void name_child(struct expr *child, void *ctx)
{
	name_expr(ctx, child);
}

static const char *nearest_builtin(const char *word, bool call)
{
	struct nearest near;

	nearest_init(&near, word);
	for (uint32_t i = 0; i < BI_COUNT; i++)
		if (strcasecmp(builtins[i].name, word) == 0)
			return builtins[i].name;
	for (uint32_t i = 0; i < BI_COUNT; i++)
		if ((builtins[i].kind != BUILTIN_VAR) == call)
			nearest_offer(&near, builtins[i].name);
	return near.best;
}

/* argN and retval in a probe on a tracepoint are the usual slip; the words differ by kind. */
static void hint_unknown(struct sema *s, const char *word, bool call)
{
	const char *near = nearest_builtin(word, call);
	const struct builtin *b = builtin_find(word);

	if (!b && !call && s->probe->n_points && s->probe->points[0].id == PROBE_UPROBE)
		user_args_known(s, NULL, &s->probe->points[0]);
	if (b && !call)
		diag_hint(s->diags, "%s is a function: write %s(%s)", word, word,
			  strstr(b->signature, "()") || strstr(b->signature, "([") ? "" : "…");
	else if (!call && s->probe->n_points && sema_args_field(&s->probe->points[0], word) &&
		 !(s->probe->points[0].format && s->probe->points[0].format->is_unchecked))
		diag_hint(s->diags, "write args.%s", word);
	else if (foreign_hint(word))
		diag_hint(s->diags, "%s", foreign_hint(word));
	else if (b)
		diag_hint(s->diags, "%s is not a function: write it without parentheses", word);
	else if (near)
		diag_hint(s->diags, "did you mean '%s'?", near);
	else
		diag_hint(s->diags,
			  call ? "'sonde --help builtins' lists the functions"
			       : "'sonde --help builtins' lists them; variables begin with $, "
				 "texts are in double quotes: \"%s\"",
			  word);
}

/* A word of bpftrace's that sonde does not have yet: said, then true. */
static bool report_unimplemented(struct sema *s, struct span span, const char *word,
				 const struct later *later)
{
	if (!later)
		return false;
	diag_error(s->diags, span, "not-built", "'%s' is not built yet", word);
	if (later->hint)
		diag_hint(s->diags, "%s", later->hint);
	return true;
}

static bool report_unimplemented_call(struct sema *s, const struct expr *e, const struct builtin *b)
{
	const struct expr *arg = e->call.n_args ? e->call.args[0] : NULL;
	const char *word = arg && arg->kind == EX_NAME ? arg->name.name : "";
	const struct later *later = unimplemented_find(e->call.name, UNIMPLEMENTED_CALL);

	if (!b)
		return report_unimplemented(s, e->call.name_span, e->call.name,
					    later ? later
						  : unimplemented_find(e->call.name,
								       UNIMPLEMENTED_NAME));
	return b->kind == BUILTIN_VAR &&
	       report_unimplemented(s, e->span,
				    arena_printf(s->arena, "%s(%s)", e->call.name, word),
				    unimplemented_find(word, UNIMPLEMENTED_ARGUMENT));
}

static void name_name(struct sema *s, struct expr *e)
{
	const struct builtin *b = builtin_find(e->name.name);

	if (b && b->kind == BUILTIN_VAR) {
		e->name.builtin = b;
		return;
	}
	if (!b && (report_unimplemented(s, e->span, e->name.name,
					unimplemented_find(e->name.name, UNIMPLEMENTED_NAME)) ||
		   report_unimplemented(s, e->span, e->name.name,
					unimplemented_find(e->name.name, UNIMPLEMENTED_CALL))))
		return;
	if (b)
		diag_error(s->diags, e->span, "needs-call", "'%s' needs parentheses", e->name.name);
	else
		diag_error(s->diags, e->span, "unknown-name", "unknown name '%s'", e->name.name);
	hint_unknown(s, e->name.name, false);
}

/* kstack(n), ustack(n): n frames of the stack at most. */
static void name_stack(struct sema *s, struct expr *e, const struct builtin *b)
{
	const struct expr *n = e->call.args[0];
	uint64_t limit = n->kind == EX_INT ? n->integer.value : 0;

	if (e->call.n_args > 1 || limit == 0 || limit > LIMIT_FRAMES) {
		diag_error(s->diags, e->span, "stack-limit", "%s takes a number of frames, 1 to %d",
			   b->name, LIMIT_FRAMES);
		diag_hint(s->diags, "write %s(5), or %s for all frames", b->name, b->name);
		limit = 1;
	}
	e->kind = EX_NAME;
	e->name.name = b->name;
	e->name.builtin = b;
	e->name.limit = (uint32_t)limit;
}

static void name_call(struct sema *s, struct expr *e)
{
	const struct builtin *b = builtin_find(e->call.name);

	if (b && b->kind != BUILTIN_VAR) {
		e->call.builtin = b;
		return;
	}
	if (b && e->call.n_args == 0) { /* later passes know one form */
		e->kind = EX_NAME;
		e->name.name = b->name;
		e->name.builtin = b;
		e->name.limit = 0;
		return;
	}
	if (report_unimplemented_call(s, e, b)) {
		e->call.n_args = 0; /* words of its own: nothing to say of them */
		return;
	}
	if (b && b->traits & TR_STACK) {
		name_stack(s, e, b);
		return;
	}
	diag_error(s->diags, e->call.name_span, "unknown-function",
		   b ? "'%s' takes no arguments" : "unknown function '%s'", e->call.name);
	hint_unknown(s, e->call.name, true);
}

static struct var *find_var(struct scope *sc, const char *name)
{
	for (uint32_t i = sc->n; i-- > 0;)
		if (strcmp(sc->visible[i]->name, name) == 0)
			return sc->visible[i];
	return NULL;
}

/* A variable of that name lived in a block that has ended: said, then true. */
static bool was_in_block(struct sema *s, const struct expr *e)
{
	for (uint32_t i = s->probe->n_vars; i-- > 0;) {
		const struct var *v = s->probe->vars[i];

		if (strcmp(v->name, e->var.name) != 0)
			continue;
		diag_note(s->diags, v->first, "this one ended with its block");
		diag_hint(s->diags, "declare it before its block: let %s;", v->name);
		return true;
	}
	return false;
}

/* Parameters are of the command line; no variable has the name of one. */
static bool refuse_param(struct scope *sc, const struct expr *e)
{
	const struct param_item *item = param_find(sc->s, e->var.name);

	if (!item)
		return false;
	diag_error(sc->s->diags, e->span, "redeclared",
		   "%s is a parameter and cannot be assigned to", item->name);
	diag_note(sc->s->diags, item->name_span, "it is declared here");
	return true;
}

static bool is_variable_builtin(const char *word)
{
	const struct builtin *b = builtin_find(word);

	return b && b->kind == BUILTIN_VAR;
}

static void name_var(struct scope *sc, struct expr *e)
{
	struct nearest near;

	e->var.var = find_var(sc, e->var.name);
	if (e->var.var || refuse_param(sc, e))
		return;
	diag_error(sc->s->diags, e->span, "undefined-variable",
		   "%s is read but was never assigned here", e->var.name);
	nearest_init(&near, e->var.name);
	for (uint32_t i = 0; i < sc->n; i++)
		nearest_offer(&near, sc->visible[i]->name);
	if (was_in_block(sc->s, e))
		return;
	if (near.best)
		diag_hint(sc->s->diags, "did you mean '%s'?", near.best);
	else if (is_variable_builtin(e->var.name + 1))
		diag_hint(sc->s->diags, "builtins have no $: write %s", e->var.name + 1);
	else
		diag_hint(sc->s->diags, "assign it first: %s = …; it lives to the end of its block",
			  e->var.name);
}

static struct var *new_var(struct scope *sc, struct expr *e)
{
	struct probe *p = sc->s->probe;
	struct var *v = arena_new_of(sc->s->arena, struct var);

	*v = (struct var){.name = e->var.name, .first = e->span, .id = p->n_vars};
	arena_push(sc->s->arena, p->vars, p->n_vars, v);
	arena_push(sc->s->arena, sc->visible, sc->n, v);
	return v;
}

/* The target of an assignment: a new variable when the name is not visible. */
static void declare_var(struct scope *sc, struct expr *e)
{
	struct var *v = find_var(sc, e->var.name);

	if (!v)
		refuse_param(sc, e);
	e->var.var = v ? v : new_var(sc, e);
	if (!v || !v->is_loop)
		return;
	diag_error(sc->s->diags, e->span, "loop-variable",
		   "%s belongs to its loop and cannot be assigned to", v->name);
	diag_hint(sc->s->diags, "keep the value in a variable of its own: $x = %s;", v->name);
}

/* `let` and `for` make a variable; a name that is visible cannot be taken again. */
static void make_var(struct scope *sc, struct expr *e)
{
	struct var *v = find_var(sc, e->var.name);

	if (!v)
		refuse_param(sc, e);
	e->var.var = v ? v : new_var(sc, e);
	if (!v)
		return;
	diag_error(sc->s->diags, e->span, "redeclared",
		   "%s exists already here: a name cannot be declared "
		   "twice",
		   v->name);
	diag_note(sc->s->diags, v->first, "it was first used here");
}

static struct map *find_map(struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (strcmp(p->maps[i]->name, name) == 0)
			return p->maps[i];
	return NULL;
}

static struct map *declare_map(struct sema *s, struct expr *e)
{
	struct map *m = arena_new_of(s->arena, struct map);
	uint32_t n = e->map.n_keys;

	*m = (struct map){.name = e->map.name,
			  .first = e->span,
			  .n_keys = n,
			  .id = s->program->n_maps};
	for (uint32_t i = 0; i < s->program->n_map_decls; i++)
		if (!m->decl && strcmp(s->program->map_decls[i].name, m->name) == 0)
			m->decl = &s->program->map_decls[i];
	m->key_types = arena_alloc(s->arena, n * sizeof(*m->key_types) + 1);
	m->key_spans = arena_alloc(s->arena, n * sizeof(*m->key_spans) + 1);
	if (s->program->n_maps == LIMIT_MAPS)
		diag_error(s->diags, e->span, "limit-maps", "more than %d maps in one script",
			   LIMIT_MAPS);
	if (s->program->n_maps <= LIMIT_MAPS) /* one too many, so that it is said once */
		arena_push(s->arena, s->program->maps, s->program->n_maps, m);
	return m;
}

/* @m[(a, b)] is @m[a, b]. */
static void flatten_key(struct expr *e)
{
	struct expr *key = e->map.n_keys == 1 ? e->map.keys[0] : NULL;

	if (!key || key->kind != EX_TUPLE || !key->list.n)
		return;
	e->map.keys = key->list.items;
	e->map.n_keys = key->list.n;
}

/* One key whose value may turn out to be a tuple of all of them: pass 2 knows. */
static bool may_spread(const struct expr *e)
{
	enum expr_kind kind;

	if (e->map.n_keys != 1)
		return false;
	kind = e->map.keys[0]->kind;
	return kind == EX_VAR || kind == EX_FIELD || kind == EX_MAP || kind == EX_TERNARY ||
	       kind == EX_BLOCK;
}

static void note_one(struct sema *s, struct map *m, struct expr *e)
{
	if (may_spread(e))
		arena_push(s->arena, m->ones, m->n_ones, e);
	else
		m->is_one = true;
}

/* The map has `n` keys, as is seen now: its uses before gave them all in one tuple. */
static void spread_before(struct sema *s, struct map *m, uint32_t n)
{
	for (uint32_t i = 0; i < m->n_ones; i++)
		m->ones[i]->map.is_spread = true;
	m->n_keys = n;
	m->key_types = arena_alloc(s->arena, n * sizeof(*m->key_types));
	m->key_spans = arena_alloc(s->arena, n * sizeof(*m->key_spans));
}

/* A use with keys, or an assignment, fixes the number of keys; print(@m) and the like name a whole
 * map and fix nothing (`whole`). */
static void name_map(struct sema *s, struct expr *e, bool whole)
{
	struct map *m = find_map(s->program, e->map.name);

	flatten_key(e);
	if (whole && e->map.n_keys == 0) {
		e->map.map = m;
		return;
	}
	if (!m)
		m = declare_map(s, e);
	e->map.map = m;
	if (m->n_keys == e->map.n_keys) {
		note_one(s, m, e);
		return;
	}
	if (may_spread(e) && m->n_keys > 1) {
		e->map.is_spread = true;
		return;
	}
	if (m->n_keys == 1 && !m->is_one && e->map.n_keys > 1) {
		spread_before(s, m, e->map.n_keys);
		return;
	}
	e->map.map = NULL;
	diag_error(s->diags, e->span, "key-count", "%s has %u key%s here", m->name, e->map.n_keys,
		   e->map.n_keys == 1 ? "" : "s");
	diag_note(s->diags, m->first, "and %u here", m->n_keys);
}

/* delete(@m, k, …) means delete(@m[k, …]): rewritten here, so that later passes know one form. */
static void fold_delete(struct expr *e)
{
	struct expr *m;

	if (!e->call.builtin || e->call.n_args < 2 || !ast_is_whole_map(e, 0) ||
	    (e->call.builtin->id != BI_delete && e->call.builtin->id != BI_has_key))
		return;
	m = e->call.args[0];
	m->map.keys = e->call.args + 1;
	m->map.n_keys = e->call.n_args - 1;
	m->span = span_join(m->span, e->call.args[e->call.n_args - 1]->span);
	e->call.n_args = 1;
}

/* Arguments that name a whole map wait for the end of the pass: see name_whole. */
static void name_args(struct scope *sc, struct expr *e)
{
	const struct builtin *b = e->call.builtin;

	for (uint32_t i = 0; i < e->call.n_args; i++) {
		if (i == 0 && b && b->traits & TR_TEXT && e->call.args[i]->kind == EX_PARAM)
			param_resolve(sc->s, e->call.args[i], true);
		if (!ast_is_whole_map(e, i))
			name_expr(sc, e->call.args[i]);
	}
}

static void name_value_block(struct scope *sc, struct expr *e)
{
	uint32_t before = sc->n;

	name_stmts(sc, &e->block.body);
	name_expr(sc, e->block.value);
	sc->n = before;
}

static void name_expr(struct scope *sc, struct expr *e)
{
	switch (e->kind) {
	case EX_NAME: name_name(sc->s, e); return;
	case EX_CALL:
		name_call(sc->s, e);
		if (e->kind != EX_CALL)
			return;
		fold_delete(e);
		name_args(sc, e);
		return;
	case EX_VAR:
		if (find_var(sc, e->var.name) || !param_name(sc->s, e))
			name_var(sc, e);
		return;
	case EX_MAP:
		ast_each_child(e, name_child, sc);
		name_map(sc->s, e, false);
		return;
	case EX_INCDEC:
		if (e->incdec.target->kind == EX_VAR)
			declare_var(sc, e->incdec.target);
		else
			name_expr(sc, e->incdec.target);
		return;
	case EX_INT:
	case EX_STRING:
	case EX_UNARY:
	case EX_BINARY:
	case EX_TERNARY:
	case EX_FIELD:
	case EX_CAST:
	case EX_TUPLE:
	case EX_RECORD:
	case EX_INDEX: ast_each_child(e, name_child, sc); return;
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
}

static bool is_in_body(const struct stmt *around)
{
	while (around && around->kind == ST_UNROLL)
		around = around->loop.around;
	return around != NULL;
}

/* The rounds of loops in others are counted, but for unrolls in unrolls alone. */
static void place_loop(struct scope *sc, struct stmt *st)
{
	st->loop.around = sc->loop;
	st->loop.is_counted = sc->loop && (st->kind != ST_UNROLL || is_in_body(sc->loop));
	sc->s->probe->has_counted |= st->loop.is_counted;
	for (struct stmt *a = sc->loop; a && st->loop.is_counted; a = a->loop.around)
		a->loop.has_counted = true;
}

/* The first that is too deep is told, not those in it. Unrolls are no calls of the kernel's. */
static void check_depth(struct scope *sc, const struct stmt *st)
{
	const struct expr *head = st->kind == ST_FOR ? st->loop.var : st->loop.cond;
	uint32_t n = 0;

	for (const struct stmt *a = st; a; a = a->loop.around)
		n += a->kind != ST_UNROLL;
	if (st->kind == ST_UNROLL || n != LIMIT_LOOPS + 1)
		return;
	diag_error(sc->s->diags, head->span, "limit-nesting",
		   "loops are nested too deep: the kernel runs %d within each other", LIMIT_LOOPS);
	diag_hint(sc->s->diags, "two can be one: for ($i : 0..10 * 20) with $i / 20 and $i %% 20");
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
		make_var(sc, st->loop.var);
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
	if (!sc->loop)
		diag_error(sc->s->diags, st->span, "no-loop", "'%s' stands in no loop",
			   st->kind == ST_BREAK ? "break" : "continue");
}

/* What a test returns says whether it passed. */
static void name_result(struct scope *sc, const struct stmt *st)
{
	for (uint32_t i = 0; st->expr && sc->loop && i < sc->s->probe->n_points; i++)
		if (sc->s->probe->points[i].test) {
			diag_error(sc->s->diags, st->span, "not-built",
				   "returning a value out of a loop is not built yet");
			diag_hint(sc->s->diags,
				  "keep it in a variable, `break`, and return it behind the loop");
			return;
		}
}

static void name_stmt(struct scope *sc, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR: name_expr(sc, st->expr); return;
	case ST_ASSIGN: name_assign(sc, st); return;
	case ST_IF:
		name_expr(sc, st->branch.cond);
		name_block(sc, &st->branch.then);
		name_block(sc, &st->branch.otherwise);
		return;
	case ST_BLOCK: name_block(sc, &st->block); return;
	case ST_RETURN:
		if (st->expr)
			name_expr(sc, st->expr);
		name_result(sc, st);
		return;
	case ST_LET:
		if (st->let.value)
			name_expr(sc, st->let.value);
		make_var(sc, st->let.var);
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

/* print(@m), clear(@m), delete(@m): the map must be one that something writes, wherever that is. */
static void name_whole(struct expr *e, void *ctx)
{
	struct sema *s = ctx;
	struct nearest near;
	struct expr *m;

	ast_each_child(e, name_whole, ctx);
	if (e->kind == EX_CALL && ast_is_whole_map(e, 0))
		m = e->call.args[0];
	else if (e->kind == EX_MAP && e->map.is_whole)
		m = e;
	else
		return;
	name_map(s, m, true);
	if (m->map.map)
		return;
	diag_error(s->diags, m->span, "undefined-map", "%s is never assigned in this script",
		   m->map.name);
	nearest_init(&near, m->map.name);
	for (uint32_t i = 0; i < s->program->n_maps; i++)
		nearest_offer(&near, s->program->maps[i]->name);
	if (near.best)
		diag_hint(s->diags, "did you mean '%s'?", near.best);
}

void sema_names(struct sema *s)
{
	param_bind(s);
	sema_points(s);
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];
		struct scope sc = {.s = s};

		s->probe = p;
		if (p->predicate)
			name_expr(&sc, p->predicate);
		name_block(&sc, &p->body);
	}
	sema_unique_tests(s);
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		if (s->program->probes[i]->predicate)
			name_whole(s->program->probes[i]->predicate, s);
		ast_each_in_block(&s->program->probes[i]->body, name_whole, s);
	}
}
