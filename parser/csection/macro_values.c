/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces names of C macros in a script by their values. A value is parsed as an expression at
 * each use, since later passes change expressions in place. Unlike in C it stays one operand: with
 * #define N 1 + 1, N * 2 is 4. The replaced expression has the span of the name, what is in it
 * that of the macro. A macro with parameters that the script calls becomes a macro of the script,
 * which parser/expand/ puts in place of its calls.
 */
#include "parser/csection/macro_values.h"
#include "parser/csection/preprocess.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/lang/ast.h"
#include <string.h>

/* In the text of a macro, its parameters and the names of other macros are values. */
struct names_of_macro {
	struct value_names names; /* first */
	const struct preprocessor *pre;
	const struct c_macro *macro;
};

struct replacer {
	struct preprocessor *pre;
	struct program *program;
	const struct function *of; /* whose body is visited, or NULL */
	uint32_t height;	   /* of the highest child of the expression being visited */
	uint32_t n_tokens;	   /* of all values so far */
	uint32_t n_active;	   /* macros that are being replaced */
	bool is_full;
};

static void replace(struct expr *e, void *ctx);

/* Replace in the sub-expressions of `e`, and set its height. */
static void replace_inside(struct replacer *r, struct expr *e)
{
	uint32_t outer = r->height;

	r->height = 0;
	ast_each_child(e, replace, r);
	if (r->height >= e->height)
		e->height = r->height + 1;
	if (e->height > LIMIT_NESTING && !r->is_full) {
		diag_error(r->pre->diags, e->span, "limit-nesting",
			   "with the values of its macros, this expression is nested too deeply: "
			   "more than %d levels of operators",
			   LIMIT_NESTING);
		r->is_full = true;
	}
	r->height = outer;
}

static bool is_full(struct replacer *r, const struct expr *e, const struct c_macro *m)
{
	r->n_tokens += m->tokens.n;
	if (r->n_tokens <= LIMIT_C_TOKENS && r->n_active < LIMIT_NESTING)
		return r->is_full;
	if (!r->is_full)
		diag_error(r->pre->diags, e->span, "limit-macros",
			   "the macros expand to more than %d tokens, or refer to each other more "
			   "than %d levels deep",
			   LIMIT_C_TOKENS, LIMIT_NESTING);
	return r->is_full = true;
}

static bool is_value(const struct value_names *names, const char *name)
{
	const struct names_of_macro *n = (const struct names_of_macro *)names;

	for (uint32_t i = 0; i < n->macro->n_params; i++)
		if (strcmp(n->macro->params[i], name) == 0)
			return true;
	return preprocess_find(n->pre, name, strlen(name));
}

/* The macro's value, or NULL after an error. */
static struct expr *parse_macro(struct replacer *r, const struct expr *e, const struct c_macro *m)
{
	struct preprocessor *p = r->pre;
	const struct names_of_macro names = {{is_value}, p, m};
	const struct c_token *last = m->tokens.n ? &m->tokens.items[m->tokens.n - 1] : NULL;

	if (!last) {
		diag_error(p->diags, e->span, "macro-value", "the macro %s has no value", m->name);
	} else if (c_token_is(last, ';')) {
		diag_error(p->diags, last->span, "macro-value",
			   "the value of a macro ends with its line, without ';'");
	} else if (!m->body.end) { /* predefined */
		return ast_int(p->arena, e->span, last->value);
	} else {
		return parse_value(p->arena, m->source, m->body, &names.names, p->diags);
	}
	return NULL;
}

static void replace_name(struct replacer *r, struct expr *e, struct c_macro *m)
{
	struct span use = e->span;
	struct expr *value;

	if (m->is_function) {
		diag_error(r->pre->diags, use, "macro-call",
			   "%s is a macro with parameters: write %s(…)", m->name, m->name);
		*e = *ast_int(r->pre->arena, use, 0);
	} else if (m->is_active) {
		diag_error(r->pre->diags, m->name_span, "macro-recursive",
			   "the macro %s refers to itself", m->name);
		*e = *ast_int(r->pre->arena, use, 0);
	} else if (is_full(r, e, m)) {
		*e = *ast_int(r->pre->arena, use, 0);
	} else {
		value = parse_macro(r, e, m);
		*e = value ? *value : *ast_int(r->pre->arena, use, 0);
		e->span = use;
		m->is_active = true;
		r->n_active++;
		replace(e, r);
		r->n_active--;
		m->is_active = false;
		return;
	}
	e->height = 1;
}

static struct c_macro *macro_of(const struct replacer *r, const char *name)
{
	for (uint32_t i = 0; r->of && i < r->of->n_params; i++)
		if (r->of->params[i]->kind == EX_NAME &&
		    strcmp(r->of->params[i]->name.name, name) == 0)
			return NULL; /* the parameter hides it */
	return preprocess_find(r->pre, name, strlen(name));
}

/* Is the function called that the script defines itself? */
static bool is_own_function(const struct replacer *r, const char *name)
{
	for (uint32_t i = 0; i < r->program->n_functions; i++)
		if (strcmp(r->program->functions[i]->name, name) == 0)
			return true;
	return false;
}

/* ---- macros with parameters ---- */

static bool is_supported(const struct replacer *r, const struct expr *e, const struct c_macro *m)
{
	const char *what = preprocess_unsupported(m);

	if (!what)
		return true;
	diag_error(r->pre->diags, e->span, "macro-call",
		   "the macro %s has %s, which is not supported", m->name, what);
	diag_note(r->pre->diags, m->name_span, "it is defined here");
	diag_hint(r->pre->diags, "write a macro of the script: macro name(x) { x }");
	return false;
}

/* `macro NAME(x, y) { value }` */
static struct function *make_function(struct arena *a, const struct c_macro *m, struct expr *value)
{
	struct function *f = arena_new_of(a, struct function);
	struct stmt *st = ast_stmt_expr(a, value->span, value);

	f->is_macro = true;
	f->is_of_c = true;
	f->span = span_join(m->name_span, m->body);
	f->name_span = m->name_span;
	f->name = m->name;
	for (uint32_t i = 0; i < m->n_params; i++) {
		struct expr *param = ast_name(a, m->name_span, m->params[i]);

		param->height = 1;
		arena_push(a, f->params, f->n_params, param);
	}
	st->is_tail = true;
	arena_push(a, f->body.items, f->body.n, st);
	return f;
}

/* Define the macro that `e` calls, once. */
static void define(struct replacer *r, struct expr *e, struct c_macro *m)
{
	const struct function *of = r->of;
	uint32_t height = r->height;
	struct function *f;
	struct expr *value;

	if (m->is_defined || !is_supported(r, e, m) || is_full(r, e, m) ||
	    !(value = parse_macro(r, e, m)))
		return;
	m->is_defined = true;
	f = make_function(r->pre->arena, m, value);
	arena_push(r->pre->arena, r->program->functions, r->program->n_functions, f);
	r->of = f;
	r->n_active++;
	replace(value, r);
	r->n_active--;
	r->of = of;
	r->height = height;
}

/* Called for each expression; notes its height for the one around it. */
static void replace(struct expr *e, void *ctx)
{
	struct replacer *r = ctx;
	struct c_macro *m = e->kind == EX_NAME ? macro_of(r, e->name.name) : NULL;

	if (m && !macro_is_itself(m))
		replace_name(r, e, m);
	else
		replace_inside(r, e);
	if (e->kind == EX_CALL && !is_own_function(r, e->call.name) &&
	    (m = macro_of(r, e->call.name)) && m->is_function)
		define(r, e, m);
	if (e->height > r->height)
		r->height = e->height;
}

void macro_values_replace(struct preprocessor *p, struct program *program)
{
	struct replacer r = {.pre = p, .program = program};
	uint32_t n_functions = program->n_functions;

	for (uint32_t i = 0; i < program->n_probes; i++) {
		if (program->probes[i]->predicate)
			replace(program->probes[i]->predicate, &r);
		ast_each_in_block(&program->probes[i]->body, replace, &r);
	}
	for (uint32_t i = 0; i < n_functions; i++) {
		r.of = program->functions[i];
		ast_each_in_block(&program->functions[i]->body, replace, &r);
	}
}
