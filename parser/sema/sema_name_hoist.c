/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that are assigned in blocks and read after them, as in scripts for bpftrace up to 0.17,
 * where a variable belonged to the whole probe. All variables of that name in blocks that have
 * ended become one, as if `let $x;` were at the beginning of the probe's body. Those that nothing
 * reads outside of their block stay separate, and so do those of a `let`, a `for` or a macro; those
 * of a macro or function are one if they are assigned in branches of `if comptime`, one of which
 * takes the place of the statement.
 */
#include "parser/sema/sema_name.h"

static bool is_same(const struct var *v, const struct expr *e)
{
	return v->mark == e->var.mark && (!v->mark || v->is_of_branch) && !v->is_in_block &&
	       strcmp(v->name, e->var.name) == 0;
}

static struct var *joined(struct var *v)
{
	return v->joined ? v->joined : v;
}

/* The first of them in a script is named, unless it is decided at compile time whether its block
 * runs. */
static void warn(struct sema *s, struct span span, struct var *v)
{
	if (s->has_hoisted || v->is_of_branch)
		return;
	s->has_hoisted = true;
	diag_warning(s->diags, span, "block-variable",
		     "%s is read outside of the block that assigns it: it is 0 or empty here if "
		     "that block did not run",
		     v->name);
	diag_note(s->diags, v->first, "assigned here");
	diag_hint(s->diags, "declare it before that block: let %s;", v->name);
}

struct var *name_hoist(struct sema *s, const struct expr *e)
{
	struct var *first = NULL;

	for (uint32_t i = 0; i < s->probe->n_vars; i++) {
		struct var *v = s->probe->vars[i];

		if (!is_same(v, e))
			continue;
		if (!first)
			first = joined(v);
		else if (joined(v) != first)
			v->joined = first;
	}
	if (!first)
		return NULL;
	first->is_hoisted = true;
	warn(s, e->span, first);
	return first;
}

static void use_joined(struct expr *e, void *ctx)
{
	if (e->kind == EX_VAR && e->var.var)
		e->var.var = joined(e->var.var);
	ast_each_child(e, use_joined, ctx);
}

/* `let` statements before those of the body. */
static void put_lets(struct sema *s, struct probe *p, uint32_t n)
{
	struct block body = {.items = arena_alloc(s->arena, (n + p->body.n) * sizeof(*body.items))};

	for (uint32_t i = 0; i < p->n_vars; i++) {
		struct var *v = p->vars[i];
		struct expr *e;

		if (!v->is_hoisted)
			continue;
		e = ast_var(s->arena, v->first, v->name);
		e->var.var = v;
		body.items[body.n++] = ast_stmt_let(s->arena, v->first, e, NULL, NULL);
	}
	for (uint32_t i = 0; i < p->body.n; i++)
		body.items[body.n++] = p->body.items[i];
	p->body = body;
}

void name_hoist_finish(struct sema *s, struct probe *p)
{
	uint32_t n_hoisted = 0, n = 0;

	for (uint32_t i = 0; i < p->n_vars; i++)
		n_hoisted += p->vars[i]->is_hoisted;
	if (!n_hoisted)
		return;
	ast_each_in_block(&p->body, use_joined, NULL);
	put_lets(s, p, n_hoisted);
	for (uint32_t i = 0; i < p->n_vars; i++) {
		if (p->vars[i]->joined)
			continue;
		p->vars[n] = p->vars[i];
		p->vars[n]->id = n;
		n++;
	}
	p->n_vars = n;
}
