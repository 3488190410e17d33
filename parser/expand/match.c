/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which definition a call means. Definitions of a name differ in the number and kinds of their
 * parameters; that with most variables and maps wins. Those of the script come before standard
 * macros, which do not see the script's.
 */
#include "parser/expand/expander.h"
#include "parser/lang/builtin.h"

const char *match_param_name(const struct expr *e)
{
	return e->kind == EX_VAR ? e->var.name : e->kind == EX_MAP ? e->map.name : e->name.name;
}

int match_param(const struct frame *f, enum expr_kind kind, const char *name)
{
	const struct function *m = f->of;

	for (uint32_t i = 0; m && m->is_macro && i < m->n_params; i++)
		if (m->params[i]->kind == kind && strcmp(match_param_name(m->params[i]), name) == 0)
			return (int)i;
	return -1;
}

bool match_is_same(const struct function *a, const struct function *b)
{
	if (!a->is_macro || !b->is_macro)
		return true;
	if (a->n_params != b->n_params)
		return false;
	for (uint32_t i = 0; i < a->n_params; i++)
		if (a->params[i]->kind != b->params[i]->kind)
			return false;
	return true;
}

static bool fits(const struct expr *param, const struct expr *arg)
{
	switch (param->kind) {
	case EX_VAR: return arg->kind == EX_VAR;
	case EX_MAP: return arg->kind == EX_MAP && !arg->map.n_keys;
	default: return true;
	}
}

/* The first parameter that does not fit; the number of parameters when all do. */
static uint32_t first_misfit(const struct function *m, struct expr **args)
{
	uint32_t i = 0;

	while (i < m->n_params && (!m->is_macro || fits(m->params[i], args[i])))
		i++;
	return i;
}

static uint32_t specificity(const struct function *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_params; i++)
		n += m->params[i]->kind != EX_NAME;
	return n;
}

/* Among the definitions of a name the one that matches best, and the one that comes closest. */
struct search {
	const char *name;
	bool is_standard;
	struct function *best, *closest;
	uint32_t closeness;
};

static void offer(struct search *s, struct function *m, struct expr **args, uint32_t n_args)
{
	uint32_t misfit, closeness = 1;

	if (m->is_standard != s->is_standard || strcmp(m->name, s->name) != 0)
		return;
	if (m->n_params == n_args) {
		misfit = first_misfit(m, args);
		if (misfit == n_args && (!s->best || specificity(m) > specificity(s->best)))
			s->best = m;
		closeness = 2 + misfit;
	}
	if (closeness > s->closeness) {
		s->closest = m;
		s->closeness = closeness;
	}
}

static void search(struct expander *x, struct search *s, struct expr **args, uint32_t n_args)
{
	for (uint32_t i = 0; i < x->program->n_functions; i++)
		offer(s, x->program->functions[i], args, n_args);
}

static const char *kind_of(const struct expr *arg)
{
	switch (arg->kind) {
	case EX_VAR: return "a variable";
	case EX_MAP: return arg->map.n_keys ? "an entry of a map" : "a map";
	case EX_TYPE: return "a type";
	default: return "an expression";
	}
}

static void report(struct expander *x, const struct search *s, struct span call, struct expr **args,
		   uint32_t n_args)
{
	const struct function *m = s->closest;
	const char *what = m->is_macro ? "macro" : "function", *names = "";
	uint32_t i;

	if (m->n_params != n_args) {
		diag_error(x->diags, call, "arg-count", "%s %s takes %u argument%s, not %u", what,
			   m->name, m->n_params, m->n_params == 1 ? "" : "s", n_args);
		for (i = 0; i < m->n_params; i++)
			names = arena_list(x->diags->arena, names, "%s",
					   match_param_name(m->params[i]));
		diag_hint(x->diags, "write %s(%s)", m->name, names);
	} else {
		i = first_misfit(m, args);
		diag_error(x->diags, args[i]->span, "macro-argument",
			   "macro %s expects %s for %s, but got %s", m->name,
			   m->params[i]->kind == EX_MAP ? "a map" : "a variable",
			   match_param_name(m->params[i]), kind_of(args[i]));
		if (m->params[i]->kind == EX_VAR)
			diag_hint(x->diags, "a parameter without '$' takes any value: macro %s(%s)",
				  m->name, match_param_name(m->params[i]) + 1);
	}
	diag_note(x->diags, m->name_span, "it is defined here");
}

static bool is_standard(const struct frame *f)
{
	return f->of && f->of->is_standard;
}

struct function *match_call(struct expander *x, const struct frame *f, struct span call,
			    const char *name, struct expr **args, uint32_t n_args)
{
	struct search own = {.name = name}, standard = {.name = name, .is_standard = true};

	if (!is_standard(f))
		search(x, &own, args, n_args);
	if (own.best)
		return own.best;
	/* with empty parentheses it is the function of that name: time() */
	if (!(args && !n_args && builtin_find(name)) && standard_add(x, name))
		search(x, &standard, args, n_args);
	if (standard.best || (!own.closest && !standard.closest) || builtin_find(name))
		return standard.best;
	report(x, own.closest ? &own : &standard, call, args, n_args);
	return NULL;
}
