/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a macro with the arguments of a call in place of its parameters, and the operators
 * that only this text has: '#' makes a string of an argument, '##' one token of two, and
 * __VA_OPT__ depends on whether there are more arguments than named parameters. As in C, an operand
 * of '#' and '##' is what was written, and any other argument has its macros expanded.
 */
#include "parser/csection/preprocess.h"

bool preprocess_is_full(struct preprocessor *p, struct span at, uint32_t n)
{
	p->n_expanded += p->n_expanded <= LIMIT_C_TOKENS ? n : 0;
	if (p->n_expanded <= LIMIT_C_TOKENS)
		return false;
	if (!p->is_full)
		diag_error(p->diags, at, "limit-macros", "the macros expand to more than %d tokens",
			   LIMIT_C_TOKENS);
	return p->is_full = true;
}

bool macro_is_textual(const struct c_macro *m)
{
	if (m->rest)
		return true;
	for (uint32_t i = 0; i < m->tokens.n; i++) {
		const struct c_token *t = &m->tokens.items[i];

		if (c_token_is(t, CP_PASTE) || (m->is_function && c_token_is(t, '#')))
			return true;
		if (i + 1 < m->tokens.n && c_token_is(t + 1, '(') && macro_param(m, t) >= 0)
			return true;
	}
	return false;
}

int macro_param(const struct c_macro *m, const struct c_token *t)
{
	for (uint32_t i = 0; i < m->n_params; i++)
		if (c_token_is_word(t, m->params[i]))
			return (int)i;
	return m->rest && c_token_is_word(t, m->rest) ? (int)m->n_params : -1;
}

/* The argument that `t` stands for, as written or expanded; NULL: it is no parameter. */
static const struct c_tokens *argument(const struct c_call *c, const struct c_token *t,
				       bool is_written)
{
	static const struct c_tokens none;
	int i = macro_param(c->macro, t);

	if (i < 0)
		return NULL;
	if (i >= (int)c->n_args)
		return &none;
	return is_written ? &c->args[i] : &c->expanded[i];
}

static bool has_rest(const struct c_call *c)
{
	return c->n_args > c->macro->n_params && c->args[c->macro->n_params].n;
}

/* ---- # and ## ---- */

struct text {
	char *bytes;
	uint32_t n;
};

static void add_bytes(struct preprocessor *p, struct text *s, const char *from, uint32_t len,
		      bool is_escaped)
{
	for (uint32_t i = 0; i < len; i++) {
		if (is_escaped && (from[i] == '"' || from[i] == '\\'))
			arena_push(p->arena, s->bytes, s->n, '\\');
		arena_push(p->arena, s->bytes, s->n, from[i]);
	}
}

/* A string of the argument's tokens, with one space where there was white space. */
static struct c_token stringify(struct preprocessor *p, const struct c_call *c,
				const struct c_tokens *arg)
{
	struct text s = {0};
	struct c_token t = {.kind = CT_STRING, .span = c->span};

	add_bytes(p, &s, "\"", 1, false);
	for (uint32_t i = 0; i < arg->n; i++) {
		const struct c_token *from = &arg->items[i];

		if (preprocess_is_full(p, c->span, 1 + from->len / 16))
			break;
		if (i && from->has_space)
			add_bytes(p, &s, " ", 1, false);
		add_bytes(p, &s, from->text, from->len, *from->text == '"' || *from->text == '\'');
	}
	add_bytes(p, &s, "\"", 1, false);
	t.text = arena_strndup(p->arena, s.bytes, s.n);
	t.len = s.n;
	return t;
}

/* Make one token of *left and `right`; false: they do not form one. */
static bool paste(struct preprocessor *p, const struct c_call *c, struct c_token *left,
		  const struct c_token *right)
{
	struct source text = {.len = left->len + right->len};
	struct c_token t;
	uint32_t at = 0;

	if (preprocess_is_full(p, c->span, text.len / 16))
		return true;
	text.text = arena_printf(p->arena, "%.*s%.*s", (int)left->len, left->text, (int)right->len,
				 right->text);
	text.len = (uint32_t)strlen(text.text); /* less than both if one has a NUL */
	t = c_token_read(&text, &at, text.len);
	if (at != text.len || t.kind == CT_END)
		return false;
	t.span = c->span;
	t.begins_line = false;
	t.has_space = left->has_space;
	*left = t;
	return true;
}

/* ---- the text ---- */

struct reader {
	struct preprocessor *pre;
	const struct c_call *call;
	struct c_tokens out;
	uint32_t n_left; /* tokens of the operand before a '##' */
};

static void push(struct reader *r, struct c_token t)
{
	if (!preprocess_is_full(r->pre, r->call->span, 1))
		arena_push(r->pre->arena, r->out.items, r->out.n, t);
}

/* Append the operand at in->items[*at] to r->out, and move *at past it. */
static void add_operand(struct reader *r, const struct c_tokens *in, uint32_t *at, bool is_pasted)
{
	const struct c_call *c = r->call;
	struct c_token t = in->items[*at];
	bool has_next = *at + 1 < in->n;
	bool is_written = is_pasted || (has_next && c_token_is(&in->items[*at + 1], CP_PASTE));
	const struct c_tokens *arg;

	if (c->macro->is_function && c_token_is(&t, '#') && has_next &&
	    (arg = argument(c, &in->items[*at + 1], true))) {
		struct c_token text = stringify(r->pre, c, arg);

		*at += 2;
		text.has_space = t.has_space;
		push(r, text);
		return;
	}
	++*at;
	t.span = c->span;
	t.begins_line = false;
	arg = argument(c, &t, is_written);
	if (!arg)
		push(r, t);
	for (uint32_t i = 0; arg && i < arg->n && !r->pre->is_full; i++) {
		struct c_token copy = arg->items[i];

		copy.has_space = i ? copy.has_space : t.has_space;
		push(r, copy);
	}
}

/* Paste the token before `first` in r->out and that at `first`. */
static void paste_at(struct reader *r, uint32_t first)
{
	struct c_token *left = &r->out.items[first - 1], *right = left + 1;

	if (!paste(r->pre, r->call, left, right)) {
		diag_error(r->pre->diags, r->call->span, "macro-call",
			   "in the macro %s, '%.*s' ## '%.*s' is not a token of C",
			   r->call->macro->name, left->len > 40 ? 40 : (int)left->len, left->text,
			   right->len > 40 ? 40 : (int)right->len, right->text);
		return;
	}
	memmove(right, right + 1, (r->out.n - first - 1) * sizeof(*right));
	r->out.n--;
}

/* `, ## __VA_ARGS__`: without more arguments there is no comma, and otherwise nothing is pasted. */
static bool is_comma_and_rest(const struct reader *r, const struct c_token *t)
{
	const struct c_macro *m = r->call->macro;

	return m->rest && c_token_is_word(t, m->rest) && r->n_left == 1 &&
	       c_token_is(&r->out.items[r->out.n - 1], ',');
}

static void add_tokens(struct reader *r, const struct c_tokens *in)
{
	for (uint32_t i = 0; i < in->n && !r->pre->is_full;) {
		bool is_pasted = i && i + 1 < in->n && c_token_is(&in->items[i], CP_PASTE);
		uint32_t first;

		i += is_pasted;
		if (is_pasted && is_comma_and_rest(r, &in->items[i])) {
			is_pasted = false;
			r->out.n -= !has_rest(r->call);
		}
		first = r->out.n;
		add_operand(r, in, &i, is_pasted);
		if (is_pasted && r->n_left && r->out.n > first && !r->pre->is_full) {
			paste_at(r, first);
			r->n_left = 1;
		}
		if (!is_pasted || r->out.n > first)
			r->n_left = r->out.n - first;
	}
}

/* The text of the macro; of __VA_OPT__(…) only what is between the parentheses, or nothing. */
static struct c_tokens without_options(struct preprocessor *p, const struct c_call *c)
{
	const struct c_tokens *in = &c->macro->tokens;
	struct c_tokens out = {0};
	uint32_t depth = 0;

	if (!c->macro->rest)
		return *in;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct c_token *t = &in->items[i];
		bool is_outer = !depth;

		if (!depth && c_token_is_word(t, "__VA_OPT__") && i + 1 < in->n &&
		    c_token_is(t + 1, '(')) {
			depth = 1;
			i++;
			continue;
		}
		if (depth) {
			depth += c_token_is(t, '(');
			depth -= c_token_is(t, ')');
		}
		if (is_outer || (depth && has_rest(c)))
			arena_push(p->arena, out.items, out.n, *t);
	}
	return out;
}

struct c_tokens preprocess_text_of(struct preprocessor *p, const struct c_call *c)
{
	struct c_tokens in = without_options(p, c);
	struct reader r = {.pre = p, .call = c};

	add_tokens(&r, &in);
	return r.out;
}
