/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces names of C macros in a script by their values. A value is parsed as an expression at
 * each use, since later passes change expressions in place. Unlike in C it stays one operand: with
 * #define N 1 + 1, N * 2 is 4. The replaced expression has the span of the name, what is in it
 * that of the macro.
 */
#include "parser/csection/macro_values.h"
#include "parser/csection/preprocess.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/lang/ast.h"
#include <string.h>

struct replacer {
	struct preprocessor *pre;
	const struct program *program;
	uint32_t height;   /* of the highest child of the expression being visited */
	uint32_t n_tokens; /* of all values so far */
	uint32_t n_active; /* macros that are being replaced */
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

/* The macro's value, or NULL after an error. */
static struct expr *parse_macro(struct replacer *r, const struct expr *e, const struct c_macro *m)
{
	struct preprocessor *p = r->pre;
	const struct c_token *last = m->tokens.n ? &m->tokens.items[m->tokens.n - 1] : NULL;

	if (!last) {
		diag_error(p->diags, e->span, "macro-value", "the macro %s has no value", m->name);
	} else if (c_token_is(last, ';')) {
		diag_error(p->diags, last->span, "macro-value",
			   "the value of a macro ends with its line, without ';'");
	} else if (!m->body.end) { /* predefined */
		return ast_int(p->arena, e->span, last->value);
	} else {
		return parse_value(p->arena, p->source, m->body, p->diags);
	}
	return NULL;
}

static void replace_name(struct replacer *r, struct expr *e, struct c_macro *m)
{
	struct span use = e->span;
	struct expr *value;

	if (m->is_function) {
		diag_error(r->pre->diags, use, "macro-call",
			   "%s is a macro of C with parameters, which a script cannot use",
			   m->name);
		diag_hint(r->pre->diags, "write a macro of the script: macro %s(x) { x }", m->name);
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

/* Called for each expression; notes its height for the one around it. */
static void replace(struct expr *e, void *ctx)
{
	struct replacer *r = ctx;
	struct c_macro *m = NULL;

	if (e->kind == EX_NAME)
		m = macro_of(r, e->name.name);
	else if (e->kind == EX_CALL && !is_own_function(r, e->call.name))
		m = macro_of(r, e->call.name);
	if (m && !macro_is_itself(m) && (e->kind == EX_NAME || m->is_function))
		replace_name(r, e, m);
	else
		replace_inside(r, e);
	if (e->height > r->height)
		r->height = e->height;
}

void macro_values_replace(struct preprocessor *p, struct program *program)
{
	struct replacer r = {.pre = p, .program = program};

	for (uint32_t i = 0; i < program->n_probes; i++) {
		if (program->probes[i]->predicate)
			replace(program->probes[i]->predicate, &r);
		ast_each_in_block(&program->probes[i]->body, replace, &r);
	}
	for (uint32_t i = 0; i < program->n_functions; i++)
		ast_each_in_block(&program->functions[i]->body, replace, &r);
}
