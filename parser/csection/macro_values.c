/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces names of C macros in a script by their values. A value is parsed as an expression at
 * each use, since later passes change expressions in place. Unlike in C it stays one operand: with
 * #define N 1 + 1, N * 2 is 4. The replacing expression has the span of the name; its parts have
 * spans of the macro. A macro with parameters that the script calls becomes a macro of the script,
 * which parser/expand/ puts in place of its calls. One with '#', '##' or '...', or whose text names
 * such a macro, needs the text of its arguments: its call is expanded as C does, and what comes out
 * is parsed.
 */
#include "parser/csection/c_headers.h"
#include "parser/expand/standard.h"
#include "parser/lang/ast.h"
#include "parser/lang/builtin.h"

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
	uint32_t n_active;	   /* macros that are being replaced */
	bool is_too_high;	   /* reported */
};

static void replace(struct expr *e, void *ctx);

/* Replace in the sub-expressions of `e`, and set its height. */
static void replace_inside(struct replacer *r, struct expr *e)
{
	ast_each_child(e, replace, r);
	e->height = ast_height_over(e);
	if (e->height > LIMIT_NESTING && !r->is_too_high) {
		diag_error(r->pre->diags, e->span, "limit-nesting",
			   "with the values of its macros, this expression is nested too deeply: "
			   "more than %d levels of operators",
			   LIMIT_NESTING);
		r->is_too_high = true;
	}
}

static bool is_full(struct replacer *r, const struct expr *e, const struct c_macro *m)
{
	if (r->n_active >= LIMIT_C_NESTING && !r->pre->is_full) {
		diag_error(r->pre->diags, e->span, "limit-nesting",
			   "macros are nested too deeply here: more than %d levels",
			   LIMIT_C_NESTING);
		r->pre->is_full = true;
	}
	return r->pre->is_full || preprocess_is_full(r->pre, e->span, m->tokens.n);
}

static bool is_value(const struct value_names *names, const char *name)
{
	const struct names_of_macro *n = (const struct names_of_macro *)names;

	for (uint32_t i = 0; i < n->macro->n_params; i++)
		if (strcmp(n->macro->params[i], name) == 0)
			return true;
	return preprocess_find(n->pre, name, strlen(name));
}

/* Parse the text at `span`; after an error in a header's macro say where it is used. */
static struct expr *parse_text(struct replacer *r, const struct expr *e, const struct c_macro *m,
			       const struct source *text, struct span span)
{
	const struct names_of_macro names = {{is_value}, r->pre, m};
	struct diags *d = r->pre->diags;
	uint32_t n_errors = d->n_errors;
	struct expr *value = parse_value(r->pre->arena, text, span, &names.names, d);

	if (m->is_of_header && d->n_errors > n_errors) {
		diag_note(d, e->span, "the macro %s of a header is used here", m->name);
		diag_hint(d, "sonde reads expressions, not all of C: write a macro of the script");
	}
	return value;
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
		return parse_text(r, e, m, m->source, m->body);
	}
	return NULL;
}

/* ---- texts ---- */

/* True if the macro needs the text of its arguments. */
static bool is_textual(const struct replacer *r, struct c_macro *m, uint32_t depth)
{
	struct c_macro *inner;
	bool is_so;

	if (m->textual != TEXTUAL_UNKNOWN || depth == LIMIT_C_NESTING)
		return m->textual == TEXTUAL_YES;
	m->textual = TEXTUAL_NO; /* if its text names it again */
	is_so = macro_is_textual(m);
	for (uint32_t i = 0; !is_so && i < m->tokens.n; i++) {
		const struct c_token *t = &m->tokens.items[i];

		inner = t->kind == CT_NAME ? preprocess_find(r->pre, t->text, t->len) : NULL;
		is_so = inner && is_textual(r, inner, depth + 1);
	}
	m->textual = is_so ? TEXTUAL_YES : TEXTUAL_NO;
	return is_so;
}

/* What the tokens of `span` become, as a text of its own; NULL after an error. */
static struct source *expand_text(struct replacer *r, struct span span, const struct c_macro *m)
{
	struct preprocessor *p = r->pre;
	const struct source *in = source_place(p->source, span.start).in;
	struct c_tokens tokens = {0}, out = {0};
	uint32_t at = span.start, n_errors = p->diags->n_errors;
	struct c_token t, last = {0};
	struct source *s;
	char *text = NULL;
	uint32_t len = 0;

	while ((t = c_token_read(in, &at, span.end)).kind != CT_END)
		arena_push(p->arena, tokens.items, tokens.n, t);
	preprocess_expand(p, &tokens, &out);
	for (uint32_t i = 0; i < out.n; last = out.items[i++]) {
		if (i && (out.items[i].text != last.text + last.len))
			arena_push(p->arena, text, len, ' ');
		for (uint32_t k = 0; k < out.items[i].len; k++)
			arena_push(p->arena, text, len, out.items[i].text[k]);
	}
	if (p->is_full || p->diags->n_errors > n_errors)
		return NULL;
	s = source_from_text(p->arena, arena_printf(p->arena, "macro %s", m->name), text, len);
	if (s && len && source_add_expansion(p->arena, p->source, s, span))
		return s;
	diag_error(p->diags, span, "macro-value",
		   len ? "the text of the macro %s is too large" : "the macro %s has no value here",
		   m->name);
	return NULL;
}

/* The value of the macro that `e` names or calls, or NULL after an error. */
static struct expr *value_of(struct replacer *r, const struct expr *e, struct c_macro *m,
			     bool is_text)
{
	struct source *s;

	if (m->is_function && !is_text) {
		diag_error(r->pre->diags, e->span, "macro-call",
			   "%s is a macro with parameters: write %s(…)", m->name, m->name);
		return NULL;
	}
	if (m->is_active) {
		diag_error(r->pre->diags, m->name_span, "macro-recursive",
			   "the macro %s refers to itself", m->name);
		return NULL;
	}
	if (is_full(r, e, m))
		return NULL;
	if (!is_text)
		return parse_macro(r, e, m);
	s = expand_text(r, e->span, m);
	return s ? parse_text(r, e, m, s, (struct span){s->base, s->base + s->len}) : NULL;
}

static void replace_name(struct replacer *r, struct expr *e, struct c_macro *m, bool is_text)
{
	struct span use = e->span;
	struct expr *value = value_of(r, e, m, is_text);
	bool was_active = m->is_active;

	if (!value)
		value = ast_int(r->pre->arena, use, 0);
	m->is_active = true;
	r->n_active++;
	replace(value, r);
	r->n_active--;
	m->is_active = was_active;
	*e = *value;
	e->span = use;
}

static struct c_macro *macro_of(const struct replacer *r, const char *name)
{
	for (uint32_t i = 0; r->of && i < r->of->n_params; i++)
		if (r->of->params[i]->kind == EX_NAME &&
		    strcmp(r->of->params[i]->name.name, name) == 0)
			return NULL; /* the parameter hides it */
	return preprocess_find(r->pre, name, strlen(name));
}

/* True if the call is of a function that the script itself defines. */
static bool is_own_function(const struct replacer *r, const char *name)
{
	for (uint32_t i = 0; i < r->program->n_functions; i++)
		if (strcmp(r->program->functions[i]->name, name) == 0)
			return true;
	return false;
}

/* ---- macros with parameters ---- */

/* `macro NAME(x, y) { value }` */
static struct function *make_function(struct arena *a, const struct c_macro *m, struct expr *value)
{
	struct function *f = arena_new_of(a, struct function);
	struct stmt *st = AST_STMT(a, value->span, ST_EXPR, .expr = value);

	f->is_macro = true;
	f->is_of_c = true;
	f->span = span_join(m->name_span, m->body);
	f->name_span = m->name_span;
	f->name = m->name;
	for (uint32_t i = 0; i < m->n_params; i++)
		arena_push(a, f->params, f->n_params, ast_name(a, m->name_span, m->params[i]));
	st->is_tail = true;
	arena_push(a, f->body.items, f->body.n, st);
	return f;
}

/* Define the macro that `e` calls, once. */
static void define(struct replacer *r, struct expr *e, struct c_macro *m)
{
	const struct function *of = r->of;
	struct function *f;
	struct expr *value;

	if (m->is_defined || is_full(r, e, m) || !(value = parse_macro(r, e, m)))
		return;
	m->is_defined = true;
	f = make_function(r->pre->arena, m, value);
	arena_push(r->pre->arena, r->program->functions, r->program->n_functions, f);
	r->of = f;
	r->n_active++;
	replace(value, r);
	r->n_active--;
	r->of = of;
}

/* The macro that `e` calls, of the script or of a header that it includes. */
static struct c_macro *called_macro(struct replacer *r, const struct expr *e)
{
	const char *name = e->call.name;
	struct c_macro *m;

	if (is_own_function(r, name))
		return NULL;
	m = macro_of(r, name);
	if (!m && !builtin_find(name) && !standard_has(name))
		m = c_headers_macro(r->pre, name);
	return m;
}

static void replace(struct expr *e, void *ctx)
{
	struct replacer *r = ctx;
	struct c_macro *m = e->kind == EX_NAME ? macro_of(r, e->name.name) : NULL;
	struct c_macro *called = e->kind == EX_CALL ? called_macro(r, e) : NULL;

	if (called && (!called->is_function || is_textual(r, called, 0))) {
		replace_name(r, e, called, true);
		called = NULL;
	} else if (m && !macro_is_itself(m)) {
		replace_name(r, e, m, !m->is_function && is_textual(r, m, 0));
	} else {
		replace_inside(r, e);
	}
	if (called)
		define(r, e, called);
}

void macro_values_replace(struct preprocessor *p, struct program *program)
{
	struct replacer r = {.pre = p, .program = program};
	uint32_t n_functions = program->n_functions;

	for (uint32_t i = 0; i < program->n_probes; i++)
		ast_each_in_probe(program->probes[i], replace, &r);
	for (uint32_t i = 0; i < n_functions; i++) {
		r.of = program->functions[i];
		ast_each_in_block(&program->functions[i]->body, replace, &r);
	}
}
