/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros of C in the C section and in #if: a name, or a name with its arguments, becomes the text
 * of the macro, in which macros are expanded again. Arguments are expanded first, as in C. Calls in
 * the script itself are not handled here: macro_values.c makes macros of the script of them.
 */
#include "parser/csection/preprocess.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include <string.h>

static void expand_list(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out,
			uint32_t depth);

static void push(struct preprocessor *p, struct c_tokens *list, const struct c_token *t)
{
	struct c_token copy = *t;

	arena_push(p->arena, list->items, list->n, copy);
}

static bool is_full(struct preprocessor *p, const struct c_token *t)
{
	if (p->n_expanded++ < LIMIT_C_TOKENS)
		return false;
	if (!p->is_full)
		diag_error(p->diags, t->span, "limit-macros",
			   "the macros expand to more than %d tokens", LIMIT_C_TOKENS);
	return p->is_full = true;
}

const char *preprocess_unsupported(const struct c_macro *m)
{
	if (m->is_variadic)
		return "'...'";
	for (uint32_t i = 0; i < m->tokens.n; i++) {
		if (c_token_is(&m->tokens.items[i], '#'))
			return "'#'";
		if (c_token_is(&m->tokens.items[i], CP_PASTE))
			return "'##'";
	}
	return NULL;
}

bool macro_is_itself(const struct c_macro *m)
{
	return m->tokens.n == 1 && m->tokens.items[0].len == strlen(m->name) &&
	       !memcmp(m->tokens.items[0].text, m->name, m->tokens.items[0].len);
}

/* ---- calls ---- */

struct call {
	const struct c_macro *macro;
	const struct c_token *name;
	struct c_tokens *args; /* expanded */
	uint32_t n_args;
};

/* Split what is between the parentheses, the first of which is at *at, which moves to the last. */
static bool read_args(struct preprocessor *p, struct call *c, const struct c_tokens *in,
		      uint32_t *at)
{
	struct c_tokens arg = {0};
	uint32_t depth = 0;

	for (; *at < in->n; ++*at) {
		const struct c_token *t = &in->items[*at];
		bool is_end = depth == 1 && c_token_is(t, ')');

		depth += c_token_is(t, '(');
		depth -= c_token_is(t, ')');
		if (is_end || (depth == 1 && c_token_is(t, ','))) {
			arena_push(p->arena, c->args, c->n_args, arg);
			arg = (struct c_tokens){0};
		} else if (depth > 1 || !c_token_is(t, '(')) {
			push(p, &arg, t);
		}
		if (is_end)
			return true;
	}
	diag_error(p->diags, c->name->span, "macro-call",
		   "the arguments of the macro %s do not end: a ')' is missing", c->macro->name);
	return false;
}

static bool is_right(struct preprocessor *p, const struct call *c)
{
	const struct c_macro *m = c->macro;
	const char *what = preprocess_unsupported(m);
	bool is_none = c->n_args == 1 && !c->args[0].n && !m->n_params;

	if (what)
		diag_error(p->diags, c->name->span, "macro-call",
			   "the macro %s has %s, which is not supported", m->name, what);
	else if (c->n_args != m->n_params && !is_none)
		diag_error(p->diags, c->name->span, "macro-call",
			   "the macro %s takes %u argument%s, not %u", m->name, m->n_params,
			   m->n_params == 1 ? "" : "s", c->n_args);
	else
		return true;
	if (m->name_span.end)
		diag_note(p->diags, m->name_span, "it is defined here");
	return false;
}

/* The argument that a token of the macro's text stands for, or NULL. */
static const struct c_tokens *argument(const struct call *c, const struct c_token *t)
{
	for (uint32_t i = 0; i < c->macro->n_params; i++)
		if (c_token_is_word(t, c->macro->params[i]))
			return &c->args[i];
	return NULL;
}

/* The text of the macro, with the arguments in place of its parameters. */
static struct c_tokens text_of(struct preprocessor *p, const struct call *c)
{
	struct c_tokens text = {0};

	for (uint32_t i = 0; i < c->macro->tokens.n; i++) {
		struct c_token t = c->macro->tokens.items[i];
		const struct c_tokens *arg = argument(c, &t);

		t.span = c->name->span;
		t.begins_line = false;
		if (!arg)
			push(p, &text, &t);
		for (uint32_t k = 0; arg && k < arg->n && !is_full(p, &t); k++)
			push(p, &text, &arg->items[k]);
	}
	return text;
}

/* The call whose name is at *at, which moves to its ')'. False after an error. */
static bool expand_call(struct preprocessor *p, struct c_macro *m, const struct c_tokens *in,
			uint32_t *at, struct c_tokens *text, uint32_t depth)
{
	struct call c = {.macro = m, .name = &in->items[*at]};

	++*at;
	if (!read_args(p, &c, in, at) || !is_right(p, &c))
		return false;
	for (uint32_t i = 0; i < c.n_args; i++) {
		struct c_tokens expanded = {0};

		expand_list(p, &c.args[i], &expanded, depth + 1);
		c.args[i] = expanded;
	}
	*text = text_of(p, &c);
	return true;
}

/* ---- names ---- */

/* After an error in a call. */
static void push_zero(struct preprocessor *p, struct c_tokens *out, struct span at)
{
	struct c_token zero = {.kind = CT_NUMBER, .text = "0", .len = 1, .span = at};

	push(p, out, &zero);
}

static struct c_macro *macro_of(struct preprocessor *p, const struct c_token *t)
{
	struct c_macro *m =
		t->kind == CT_NAME && !t->is_final ? preprocess_find(p, t->text, t->len) : NULL;

	return m && !macro_is_itself(m) ? m : NULL;
}

/* A macro within its own text: its name, and the arguments if it is called. */
static void refuse(struct preprocessor *p, struct c_macro *m, const struct c_tokens *in,
		   uint32_t *at, bool is_called, struct c_tokens *out)
{
	struct call c = {.macro = m, .name = &in->items[*at]};
	struct c_token t = in->items[*at];

	diag_error(p->diags, m->name_span, "macro-recursive", "the macro %s refers to itself",
		   m->name);
	t.is_final = true;
	if (is_called) {
		++*at;
		read_args(p, &c, in, at);
		push_zero(p, out, t.span);
	} else {
		push(p, out, &t);
	}
}

static void expand(struct preprocessor *p, const struct c_tokens *in, uint32_t *at,
		   struct c_tokens *out, uint32_t depth)
{
	const struct c_token *t = &in->items[*at];
	struct c_macro *m = macro_of(p, t);
	struct c_tokens text = {0};
	bool is_called = m && m->is_function && *at + 1 < in->n && c_token_is(t + 1, '(');

	if (is_full(p, t))
		return;
	if (m && (m->is_active || depth >= LIMIT_NESTING)) {
		refuse(p, m, in, at, is_called, out);
		return;
	}
	if (!m || (m->is_function && !is_called)) {
		push(p, out, t);
		return;
	}
	if (!is_called) {
		text = text_of(p, &(struct call){.macro = m, .name = t});
	} else if (!expand_call(p, m, in, at, &text, depth)) {
		push_zero(p, out, t->span);
		return;
	}
	m->is_active = true;
	expand_list(p, &text, out, depth + 1);
	m->is_active = false;
}

static void expand_list(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out,
			uint32_t depth)
{
	for (uint32_t i = 0; i < in->n; i++)
		expand(p, in, &i, out, depth);
}

void preprocess_expand(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out)
{
	expand_list(p, in, out, 0);
}
