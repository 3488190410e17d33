/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of definitions, whether they are called or not. A macro names no maps but its parameters,
 * and does not leave the code around it. A function uses nothing that depends on the probe, and
 * returns its result on every way.
 */
#include "parser/expand/expander.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/builtin.h"

struct checked {
	struct expander *x;
	const struct function *f;
	uint32_t n_loops; /* around the statement */
};

static void check_block(struct block *b, void *ctx);

/* ---- expressions ------------------------------------------------------------------------- */

static bool has_param(const struct function *m, enum expr_kind kind, const char *name)
{
	const struct frame f = {.of = m};

	return match_param(&f, kind, name) >= 0;
}

static void check_map(struct checked *c, const struct expr *e)
{
	if (!c->f->is_macro || c->f->is_of_c || has_param(c->f, EX_MAP, e->map.name))
		return;
	diag_error(c->x->diags, e->span, "macro-map", "unhygienic access to map %s in macro %s",
		   e->map.name, c->f->name);
	diag_hint(c->x->diags, "make it a parameter: macro %s(%s)", c->f->name, e->map.name);
}

static void check_builtin(struct checked *c, const struct expr *e, const char *name)
{
	const struct builtin *b = c->f->is_macro ? NULL : builtin_find(name);

	if (!b || (b->where == W_ANY && !(b->traits & (TR_START | TR_END))))
		return;
	diag_error(c->x->diags, e->span, "wrong-probe",
		   "'%s' is not available in a function, which may be called from any probe", name);
	diag_hint(c->x->diags, "pass it as an argument, or write a macro");
}

static void check_expr(struct expr *e, void *ctx)
{
	if (e->kind == EX_MAP)
		check_map(ctx, e);
	if (e->kind == EX_NAME)
		check_builtin(ctx, e, e->name.name);
	if (e->kind == EX_CALL)
		check_builtin(ctx, e, e->call.name);
	ast_each_below(e, check_expr, check_block, ctx);
}

/* ---- statements -------------------------------------------------------------------------- */

static void refuse_jump(struct checked *c, const struct stmt *st, const char *word)
{
	diag_error(c->x->diags, st->span, "macro-jump", "'%s' statement is not allowed in a macro",
		   word);
	diag_hint(c->x->diags, "the macro's value is its last expression, without ';'");
}

static void check_return(struct checked *c, const struct stmt *st)
{
	bool is_void = !c->f->is_macro && ast_is_void(c->f->result);

	if (c->f->is_macro)
		refuse_jump(c, st, "return");
	else if (is_void != !st->expr)
		diag_error(c->x->diags, st->span, "return-value",
			   "%s is of type %s, cannot return %s", c->f->name,
			   c->f->result->name ? c->f->result->name : "typeof(…)",
			   st->expr ? "a value" : "void");
	if (st->expr)
		check_expr(st->expr, c);
}

static void check_let(struct checked *c, const struct stmt *st)
{
	const struct expr *v = st->let.var;

	if (c->f->is_macro && has_param(c->f, EX_VAR, v->var.name))
		diag_error(c->x->diags, v->span, "redeclared", "%s is a parameter of the macro",
			   v->var.name);
	if (st->let.value)
		check_expr(st->let.value, c);
}

static void check_stmt(struct checked *c, struct stmt *st)
{
	bool is_jump = st->kind == ST_BREAK || st->kind == ST_CONTINUE;

	if (st->kind == ST_RETURN)
		check_return(c, st);
	else if (st->kind == ST_LET)
		check_let(c, st);
	else
		ast_each_head(st, check_expr, c);
	if (is_jump && c->f->is_macro && !c->n_loops)
		refuse_jump(c, st, st->kind == ST_BREAK ? "break" : "continue");
	c->n_loops += ast_is_loop(st);
	ast_each_block(st, check_block, c);
	c->n_loops -= ast_is_loop(st);
}

static void check_block(struct block *b, void *ctx)
{
	for (uint32_t i = 0; i < b->n; i++)
		check_stmt(ctx, b->items[i]);
}

/* ---- definitions ------------------------------------------------------------------------- */

/* True when the end of the block is never reached. */
static bool always_leaves(const struct block *b)
{
	const struct stmt *last = b->n ? b->items[b->n - 1] : NULL;
	const struct expr *e = last && last->kind == ST_EXPR ? last->expr : NULL;
	const struct builtin *called = e && e->kind == EX_CALL ? builtin_find(e->call.name) : NULL;

	if (called)
		return called->needs & NEEDS_EXIT;
	if (last && last->kind == ST_IF)
		return always_leaves(&last->branch.then) && always_leaves(&last->branch.otherwise);
	if (last && last->kind == ST_BLOCK)
		return always_leaves(&last->block);
	return last && last->kind == ST_RETURN;
}

static void check_names(struct expander *x, const struct function *f, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++) {
		const struct function *other = x->program->functions[i];

		if (strcmp(other->name, f->name) != 0 || other->is_standard != f->is_standard ||
		    !match_is_same(f, other))
			continue;
		diag_error(x->diags, f->name_span, "redeclared", "%s %s is defined twice",
			   f->is_macro ? "macro" : "function", f->name);
		diag_note(x->diags, other->name_span, "it is also defined here");
		return;
	}
}

static void check_params(struct expander *x, const struct function *f)
{
	for (uint32_t i = 0; i < f->n_params; i++)
		for (uint32_t j = 0; j < i; j++)
			if (f->params[i]->kind == f->params[j]->kind &&
			    strcmp(match_param_name(f->params[i]),
				   match_param_name(f->params[j])) == 0)
				diag_error(x->diags, f->params[i]->span, "redeclared",
					   "two parameters have the name %s",
					   match_param_name(f->params[i]));
}

/* `macro f(pid)`: these builtins keep their meaning everywhere. A macro of C has other rules. */
static void check_param_names(struct expander *x, const struct function *f)
{
	for (uint32_t i = 0; f->is_macro && !f->is_of_c && i < f->n_params; i++) {
		const struct expr *e = f->params[i];
		const struct builtin *b = e->kind == EX_NAME ? builtin_find(e->name.name) : NULL;

		if (!b || (!(b->traits & TR_KEYWORD) && strcmp(b->name, e->name.name) == 0))
			continue;
		diag_error(x->diags, e->span, "macro-parameter",
			   "%s is a builtin, which cannot be a parameter of a macro", e->name.name);
		diag_hint(x->diags, "choose another name: macro %s(the_%s)", f->name, b->name);
	}
}

void define_check(struct expander *x, uint32_t index)
{
	struct function *f = x->program->functions[index];
	struct checked c = {.x = x, .f = f};

	check_names(x, f, index);
	check_params(x, f);
	check_param_names(x, f);
	check_block(&f->body, &c);
	if (f->is_macro || ast_is_void(f->result) || always_leaves(&f->body))
		return;
	diag_error(
		x->diags, f->name_span, "return-value",
		"%s is of type %s, cannot return void: its end can be reached without a 'return'",
		f->name, f->result->name ? f->result->name : "typeof(…)");
}
