/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros of C in the C section and in #if: a name, or a name with its arguments, becomes the text
 * of the macro, in which macros are expanded again. Arguments are expanded first, as in C. Calls in
 * the script itself are not handled here: macro_values.c makes macros of the script of them.
 */
#include "parser/csection/c_headers.h"

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

/* ---- what is read ---- */

/* The text of a macro, or what is expanded as a whole. */
struct frame {
	struct c_tokens tokens;
	uint32_t at; /* the next token */
	uint32_t depth;
	struct c_macro *macro; /* NULL: the outermost */
	struct frame *outer;   /* read after this */
};

static void leave_ended(struct frame **f)
{
	for (; (*f)->macro && (*f)->at == (*f)->tokens.n; *f = (*f)->outer)
		(*f)->macro->is_active = false;
}

/* The next token, or NULL. A text that has ended is left only when the next token is read, so its
 * macro stays active while the last token of the text is expanded. */
static const struct c_token *next(struct frame **f)
{
	leave_ended(f);
	return (*f)->at < (*f)->tokens.n ? &(*f)->tokens.items[(*f)->at++] : NULL;
}

/* True if a '(' follows: arguments may follow the text that ends with a macro's name. */
static bool is_open_next(const struct frame *f)
{
	while (f->macro && f->at == f->tokens.n)
		f = f->outer;
	return f->at < f->tokens.n && c_token_is(&f->tokens.items[f->at], '(');
}

/* ---- calls ---- */

/* Split what is between the parentheses that follow. Commas in square brackets do not separate:
 * @m[1, 2] is one argument. */
static bool read_args(struct preprocessor *p, struct c_call *c, struct frame **f)
{
	const struct c_macro *m = c->macro;
	const struct c_token *t;
	struct c_tokens arg = {0};
	uint32_t depth = 0;

	while ((t = next(f))) {
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
	diag_hint(p->diags, "write %s(…) with %u value%s between commas", m->name, m->n_params,
		  m->n_params == 1 ? "" : "s");
	return false;
}

/* ---- names ---- */

/* Words of C before a parenthesis, which are no macros of headers. */
static bool is_word_of_c(const struct c_token *t)
{
	static const char *const words[] = {
		"__attribute__", "__attribute", "sizeof", "_Alignof", "_Alignas", "_Static_assert",
		"static_assert", "void",	"char",	  "short",    "int",	  "long",
		"unsigned",	 "_Bool",	"bool",	  "float",    "double",
	};

	return TEXT_IS_IN(words, t->text, t->len);
}

struct c_macro *preprocess_macro(struct preprocessor *p, const struct c_token *t, bool is_called)
{
	struct c_macro *m;

	if (t->kind != CT_NAME || t->is_final)
		return NULL;
	m = preprocess_find(p, t->text, t->len);
	if (!m && is_called && !is_word_of_c(t))
		m = c_headers_macro(p, c_token_name(p->arena, t));
	return m && !macro_is_itself(m) ? m : NULL;
}

/* A macro within its own text, or one too many. */
static void refuse(struct preprocessor *p, const struct c_macro *m, struct span use)
{
	if (m->is_active)
		diag_error(p->diags, m->name_span, "macro-recursive",
			   "the macro %s refers to itself", m->name);
	else
		diag_error(p->diags, use, "limit-nesting",
			   "macros are nested too deeply here: more than %d levels",
			   LIMIT_C_NESTING);
}

static void expand(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out,
		   uint32_t depth);

/* Begin to read the text of the macro that `t` names. After an error append 0 or the name. */
static void enter(struct preprocessor *p, struct frame **f, const struct c_token *t,
		  struct c_macro *m, struct c_tokens *out)
{
	struct c_token zero = {.kind = CT_NUMBER, .text = "0", .len = 1, .span = t->span};
	struct c_token name = *t;
	struct c_call c = {.macro = m, .span = t->span};
	struct frame *inner = arena_new_of(p->arena, struct frame);
	bool is_refused;
	uint32_t n = 0;

	name.is_final = true;
	if (m->is_function)
		leave_ended(f);
	is_refused = m->is_active || (*f)->depth >= LIMIT_C_NESTING;
	if (is_refused)
		refuse(p, m, t->span);
	if (m->is_function && (!read_args(p, &c, f) || is_refused || !is_right(p, &c))) {
		push(p, out, &zero);
		return;
	}
	if (is_refused) {
		push(p, out, &name);
		return;
	}
	while (n < c.n_args) {
		struct c_tokens expanded = {0};

		expand(p, &c.args[n], &expanded, (*f)->depth + 1);
		arena_push(p->arena, c.expanded, n, expanded);
	}
	m->is_active = true;
	*inner = (struct frame){preprocess_text_of(p, &c), 0, (*f)->depth + 1, m, *f};
	*f = inner;
}

static void expand(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out,
		   uint32_t depth)
{
	struct frame outermost = {.tokens = *in, .depth = depth}, *f = &outermost;
	const struct c_token *t;

	while ((t = next(&f))) {
		bool is_called = is_open_next(f);
		struct c_macro *m = preprocess_macro(p, t, is_called);

		if (preprocess_is_full(p, t->span, 1))
			continue;
		if (m && (!m->is_function || is_called))
			enter(p, &f, t, m, out);
		else
			push(p, out, t);
	}
}

void preprocess_expand(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out)
{
	expand(p, in, out, 0);
}
