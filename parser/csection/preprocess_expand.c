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

bool macro_is_itself(const struct c_macro *m)
{
	return m->tokens.n == 1 && m->tokens.items[0].len == strlen(m->name) &&
	       !memcmp(m->tokens.items[0].text, m->name, m->tokens.items[0].len);
}

/* ---- calls ---- */

/* Split what is between the parentheses, the first of which is at *at, which moves to the last.
 * Commas in square brackets do not separate: @m[1, 2] is one argument. */
static bool read_args(struct preprocessor *p, struct c_call *c, const struct c_tokens *in,
		      uint32_t *at)
{
	const struct c_macro *m = c->macro;
	struct c_tokens arg = {0};
	uint32_t depth = 0;

	for (; *at < in->n; ++*at) {
		const struct c_token *t = &in->items[*at];
		bool is_end = depth == 1 && c_token_is(t, ')');
		bool is_rest = m->rest && c->n_args == m->n_params;

		depth += c_token_is(t, '(') || (depth && c_token_is(t, '['));
		depth -= c_token_is(t, ')') || (depth > 1 && c_token_is(t, ']'));
		if (is_end || (depth == 1 && c_token_is(t, ',') && !is_rest)) {
			arena_push(p->arena, c->args, c->n_args, arg);
			arg = (struct c_tokens){0};
		} else if (depth > 1 || !c_token_is(t, '(')) {
			push(p, &arg, t);
		}
		if (is_end)
			return true;
	}
	diag_error(p->diags, c->span, "macro-call",
		   "the arguments of the macro %s do not end: a ')' is missing", m->name);
	return false;
}

static bool is_right(struct preprocessor *p, const struct c_call *c)
{
	const struct c_macro *m = c->macro;
	bool is_none = c->n_args == 1 && !c->args[0].n && !m->n_params;

	if (c->n_args == m->n_params || is_none || (m->rest && c->n_args > m->n_params))
		return true;
	diag_error(p->diags, c->span, "macro-call", "the macro %s takes %s%u argument%s, not %u",
		   m->name, m->rest ? "at least " : "", m->n_params, m->n_params == 1 ? "" : "s",
		   c->n_args);
	if (m->name_span.end)
		diag_note(p->diags, m->name_span, "it is defined here");
	return false;
}

/* The call whose name is at *at, which moves to its ')'. False after an error. */
static bool expand_call(struct preprocessor *p, struct c_macro *m, const struct c_tokens *in,
			uint32_t *at, struct c_tokens *text, uint32_t depth)
{
	struct c_call c = {.macro = m, .span = in->items[*at].span};
	uint32_t n = 0;

	++*at;
	if (!read_args(p, &c, in, at) || !is_right(p, &c))
		return false;
	for (uint32_t i = 0; i < c.n_args; i++) {
		struct c_tokens expanded = {0};

		expand_list(p, &c.args[i], &expanded, depth + 1);
		arena_push(p->arena, c.expanded, n, expanded);
	}
	*text = preprocess_text_of(p, &c);
	return true;
}

/* ---- names ---- */

/* After an error in a call. */
static void push_zero(struct preprocessor *p, struct c_tokens *out, struct span at)
{
	struct c_token zero = {.kind = CT_NUMBER, .text = "0", .len = 1, .span = at};

	push(p, out, &zero);
}

/* Words of C before a parenthesis, which are no macros of headers. */
static bool is_word_of_c(const struct c_token *t)
{
	static const char *const words[] = {
		"__attribute__", "__attribute", "sizeof", "_Alignof", "_Alignas", "_Static_assert",
		"static_assert", "void",	"char",	  "short",    "int",	  "long",
		"unsigned",	 "_Bool",	"bool",	  "float",    "double",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (c_token_is_word(t, words[i]))
			return true;
	return false;
}

struct c_macro *preprocess_macro(struct preprocessor *p, const struct c_token *t, bool is_called)
{
	struct c_macro *m;

	if (t->kind != CT_NAME || t->is_final)
		return NULL;
	m = preprocess_find(p, t->text, t->len);
	if (!m && is_called && p->header_macro && !is_word_of_c(t))
		m = p->header_macro(p, c_token_name(p->arena, t));
	return m && !macro_is_itself(m) ? m : NULL;
}

static bool is_open_next(const struct c_tokens *in, uint32_t at)
{
	return at + 1 < in->n && c_token_is(&in->items[at + 1], '(');
}

/* A macro within its own text, or one too many: its name, and the arguments if it is called. */
static void refuse(struct preprocessor *p, struct c_macro *m, const struct c_tokens *in,
		   uint32_t *at, bool is_called, struct c_tokens *out)
{
	struct c_call c = {.macro = m, .span = in->items[*at].span};
	struct c_token t = in->items[*at];

	if (m->is_active)
		diag_error(p->diags, m->name_span, "macro-recursive",
			   "the macro %s refers to itself", m->name);
	else
		diag_error(p->diags, t.span, "limit-nesting",
			   "macros are nested too deeply here: more than %d levels",
			   LIMIT_C_NESTING);
	t.is_final = true;
	if (is_called) {
		++*at;
		read_args(p, &c, in, at);
		push_zero(p, out, t.span);
	} else {
		push(p, out, &t);
	}
}

/* If what was appended to *out from `first` on ends with the name of a macro with parameters, and
 * what follows *at are arguments, then this is a call, as in C. False: it is not. */
static bool call_follows(struct preprocessor *p, const struct c_tokens *in, uint32_t *at,
			 struct c_tokens *out, uint32_t first, uint32_t depth)
{
	struct c_tokens list = {0};
	uint32_t level = 0;
	struct c_macro *m;

	if (out->n <= first || !is_open_next(in, *at))
		return false;
	m = preprocess_macro(p, &out->items[out->n - 1], true);
	if (!m || !m->is_function || m->is_active)
		return false;
	push(p, &list, &out->items[--out->n]);
	do {
		const struct c_token *t = &in->items[++*at];

		level += c_token_is(t, '(');
		level -= c_token_is(t, ')');
		push(p, &list, t);
	} while (level && *at + 1 < in->n);
	expand_list(p, &list, out, depth + 1);
	return true;
}

static void expand(struct preprocessor *p, const struct c_tokens *in, uint32_t *at,
		   struct c_tokens *out, uint32_t depth)
{
	const struct c_token *t = &in->items[*at];
	bool is_called = is_open_next(in, *at);
	struct c_macro *m = preprocess_macro(p, t, is_called);
	struct c_tokens text = {0};
	uint32_t first = out->n;

	is_called = is_called && m && m->is_function;
	if (preprocess_is_full(p, t->span, 1))
		return;
	if (m && (!m->is_function || is_called) && (m->is_active || depth >= LIMIT_C_NESTING)) {
		refuse(p, m, in, at, is_called, out);
		return;
	}
	if (!m || (m->is_function && !is_called)) {
		push(p, out, t);
		return;
	}
	if (!is_called) {
		text = preprocess_text_of(p, &(struct c_call){.macro = m, .span = t->span});
	} else if (!expand_call(p, m, in, at, &text, depth)) {
		push_zero(p, out, t->span);
		return;
	}
	m->is_active = true;
	expand_list(p, &text, out, depth + 1);
	m->is_active = false;
	while (call_follows(p, in, at, out, first, depth))
		first = out->n;
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
