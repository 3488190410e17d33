/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the C section that begin with '#': one function for each word, found in a table.
 */
#include "parser/csection/c_headers.h"
#include "parser/csection/c_parse.h"

struct line {
	struct c_tokens tokens; /* [0] is the word */
	struct span span;	/* from the '#' to the word's end */
};

static bool fail(struct preprocessor *p, struct span span, const char *what)
{
	diag_error(p->diags, span, "preprocessor", "%s", what);
	return false;
}

static void expect_end(struct preprocessor *p, const struct line *l, uint32_t at)
{
	const struct c_token *t = &l->tokens.items[at];

	if (t->kind != CT_END)
		fail(p, t->span, "nothing may follow here");
}

/* ---- conditions ---- */

static bool is_defined(struct preprocessor *p, const struct c_token *name)
{
	struct c_value v;

	return preprocess_find(p, name->text, name->len) ||
	       c_headers_constant(p, c_token_name(p->arena, name), &v);
}

/* defined NAME, defined(NAME): at *at, which moves past it. */
static bool read_defined(struct preprocessor *p, const struct c_tokens *in, uint32_t *at,
			 struct c_token *out)
{
	const struct c_token *t = &in->items[*at + 1];
	bool has_parens = c_token_is(t, '(');

	t += has_parens;
	if (t->kind != CT_NAME)
		return fail(p, in->items[*at].span, "'defined' needs a name: defined(NAME)");
	if (has_parens && !c_token_is(t + 1, ')'))
		return fail(p, t->span, "missing ')' after this name");
	*out = (struct c_token){.kind = CT_NUMBER, .text = "1", .len = 1, .span = t->span};
	out->value = is_defined(p, t);
	*at = (uint32_t)(t - in->items) + has_parens;
	return true;
}

/* The value of the condition after the line's word; false after an error. */
static bool holds(struct preprocessor *p, const struct line *l)
{
	uint32_t at = 1;
	struct c_tokens words = {0}, expanded = {0};
	struct c_parser e = {.arena = p->arena, .diags = p->diags, .pre = p};
	struct c_token defined;
	bool is_true;

	for (; l->tokens.items[at].kind != CT_END; at++) {
		if (!c_token_is_word(&l->tokens.items[at], "defined")) {
			arena_push(p->arena, words.items, words.n, l->tokens.items[at]);
			continue;
		}
		if (!read_defined(p, &l->tokens, &at, &defined))
			return false;
		arena_push(p->arena, words.items, words.n, defined);
	}
	preprocess_expand(p, &words, &expanded);
	arena_push(p->arena, expanded.items, expanded.n, l->tokens.items[at]);
	e.tokens = expanded.items;
	is_true = c_evaluate(&e).bits;
	if (c_next(&e)->kind != CT_END)
		c_unexpected(&e, "c-expression", "an operator");
	return is_true && !e.is_wrong;
}

static bool is_name_defined(struct preprocessor *p, const struct line *l)
{
	const struct c_token *t = &l->tokens.items[1];

	if (t->kind != CT_NAME)
		return fail(p, l->span, "a name is missing here");
	expect_end(p, l, 2);
	return is_defined(p, t);
}
static void open_group(struct preprocessor *p, const struct line *l,
		       bool (*condition)(struct preprocessor *p, const struct line *l), bool wanted)
{
	bool is_outer = preprocess_is_used(p);
	bool is_used = is_outer && condition(p, l) == wanted;
	struct c_group g = {.span = l->span,
			    .is_outer = is_outer,
			    .is_used = is_used,
			    .was_used = is_used};

	if (p->n_groups == LIMIT_C_NESTING)
		diag_error(p->diags, l->span, "limit-nesting",
			   "#if is nested too deeply: more than %d levels", LIMIT_C_NESTING);
	arena_push(p->arena, p->groups, p->n_groups, g);
}

static void line_if(struct preprocessor *p, const struct line *l)
{
	open_group(p, l, holds, true);
}

static void line_ifdef(struct preprocessor *p, const struct line *l)
{
	open_group(p, l, is_name_defined, true);
}

static void line_ifndef(struct preprocessor *p, const struct line *l)
{
	open_group(p, l, is_name_defined, false);
}

/* The group of an #elif, #else or #endif; NULL after an error. */
static struct c_group *innermost(struct preprocessor *p, const struct line *l)
{
	if (p->n_groups)
		return &p->groups[p->n_groups - 1];
	fail(p, l->span, "there is no #if before this");
	return NULL;
}

static void next_branch(struct preprocessor *p, const struct line *l, bool is_else)
{
	struct c_group *g = innermost(p, l);
	bool may_be_used;

	if (!g)
		return;
	if (g->has_else) {
		fail(p, l->span, "#else must be the last branch of its #if");
		diag_note(p->diags, g->span, "the #if is here");
	}
	may_be_used = g->is_outer && !g->was_used;
	g->has_else = is_else;
	g->is_used = false; /* so that the condition below is not within the branch before it */
	g->is_used = may_be_used && (is_else || holds(p, l));
	g->was_used |= g->is_used;
	if (is_else)
		expect_end(p, l, 1);
}

static void line_elif(struct preprocessor *p, const struct line *l)
{
	next_branch(p, l, false);
}

static void line_else(struct preprocessor *p, const struct line *l)
{
	next_branch(p, l, true);
}

static void line_endif(struct preprocessor *p, const struct line *l)
{
	if (!innermost(p, l))
		return;
	expect_end(p, l, 1);
	p->n_groups--;
}

/* ---- macros ---- */

static bool same_tokens(const struct c_tokens *x, const struct c_tokens *y)
{
	if (x->n != y->n)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->items[i].len != y->items[i].len ||
		    memcmp(x->items[i].text, y->items[i].text, x->items[i].len) != 0)
			return false;
	return true;
}

/* True for a name that every script knows and may define itself. */
static bool is_hidden(const struct c_macro *m)
{
	return m->source && m->source->is_hidden;
}

static void add_macro(struct preprocessor *p, struct c_macro *m)
{
	struct c_macro *old = preprocess_find(p, m->name, strlen(m->name));

	if (!old) {
		preprocess_add(p, m);
		return;
	}
	if (!is_hidden(old) &&
	    (old->is_function != m->is_function || !same_tokens(&old->tokens, &m->tokens))) {
		diag_warning(p->diags, m->name_span, "macro-redefined", "%s is redefined", m->name);
		if (old->name_span.end)
			diag_note(p->diags, old->name_span, "the first definition is here");
	}
	m->next = old->next;
	*old = *m;
}

/* The parameters of a macro; *at is that of their '(', and moves past their ')'. */
static bool read_params(struct preprocessor *p, const struct line *l, struct c_macro *m,
			uint32_t *at)
{
	const struct c_token *t = &l->tokens.items[*at + 1];

	for (; !c_token_is(t, ')'); t += c_token_is(t, ',')) {
		if (c_token_is(t, CP_ELLIPSIS))
			m->rest = "__VA_ARGS__";
		else if (t->kind != CT_NAME)
			return fail(p, t->span, "the name of a parameter is missing here");
		else if (macro_param(m, t) >= 0)
			return fail(p, t->span, "two parameters have this name");
		else
			arena_push(p->arena, m->params, m->n_params, c_token_name(p->arena, t));
		t++;
		if (c_token_is(t, CP_ELLIPSIS) && !m->rest) { /* args... */
			m->rest = m->params[--m->n_params];
			t++;
		}
		if (!c_token_is(t, ')') &&
		    (!c_token_is(t, ',') || m->rest || c_token_is(t + 1, ')')))
			return fail(p, t->span, "expected ',' and a name, or ')'");
	}
	*at = (uint32_t)(t + 1 - l->tokens.items);
	return true;
}

/* '#' is before a parameter, '##' between two tokens. */
static bool check_operators(struct preprocessor *p, const struct c_macro *m)
{
	for (uint32_t i = 0; i < m->tokens.n; i++) {
		const struct c_token *t = &m->tokens.items[i];

		if (c_token_is(t, CP_PASTE) && (!i || i + 1 == m->tokens.n))
			return fail(p, t->span, "'##' must be between two tokens");
		if (m->is_function && c_token_is(t, '#') &&
		    (i + 1 == m->tokens.n || macro_param(m, t + 1) < 0))
			return fail(p, t->span, "'#' must be before a parameter of the macro");
	}
	return true;
}

static void line_define(struct preprocessor *p, const struct line *l)
{
	const struct c_token *t = &l->tokens.items[1];
	struct c_macro m = {.name_span = t->span, .source = p->reading};
	uint32_t first = 2;

	if (t->kind != CT_NAME) {
		fail(p, l->span, "#define needs a name");
		return;
	}
	if (c_token_is_word(t, "defined")) {
		fail(p, t->span, "'defined' cannot be a macro");
		return;
	}
	m.name = c_token_name(p->arena, t);
	m.is_function = c_token_is(t + 1, '(') && t[1].span.start == t->span.end;
	if (m.is_function && !read_params(p, l, &m, &first))
		return;
	m.tokens.n = l->tokens.n - 1 - first;
	m.tokens.items = l->tokens.items + first;
	if (!check_operators(p, &m))
		return;
	if (m.tokens.n)
		m.body = span_join(m.tokens.items[0].span, m.tokens.items[m.tokens.n - 1].span);
	add_macro(p, &m);
}

static void line_undef(struct preprocessor *p, const struct line *l)
{
	const struct c_token *t = &l->tokens.items[1];
	struct c_macro *m;

	if (t->kind != CT_NAME) {
		fail(p, l->span, "#undef needs a name");
		return;
	}
	expect_end(p, l, 2);
	m = preprocess_find(p, t->text, t->len);
	if (m)
		m->is_undefined = true;
}

/* ---- other lines ---- */

static void line_include(struct preprocessor *p, const struct line *l)
{
	const struct c_token *t = &l->tokens.items[1];
	struct c_include include = {.is_quoted = t->kind == CT_STRING};
	const char *begin = t->text + 1, *end = NULL, *line_end;

	if (include.is_quoted) {
		end = t->text + t->len - 1;
		expect_end(p, l, 2);
	} else if (c_token_is(t, '<')) {
		line_end = strchr(begin, '\n');
		end = strchr(begin, '>');
		end = line_end && end > line_end ? NULL : end;
	}
	if (!end || end == begin) {
		fail(p, l->span, "#include needs a file: #include <linux/fs.h> or \"file.h\"");
		return;
	}
	include.path = arena_strndup(p->arena, begin, (size_t)(end - begin));
	include.span = (struct span){t->span.start, t->span.start + (uint32_t)(end + 1 - t->text)};
	arena_push(p->arena, p->includes, p->n_includes, include);
}

/* The text of the line after its word. */
static const char *rest(struct preprocessor *p, const struct line *l)
{
	const struct c_token *first = &l->tokens.items[1],
			     *last = &l->tokens.items[l->tokens.n - 1];

	if (first->kind == CT_END)
		return "";
	return arena_strndup(p->arena, first->text, last->span.end - first->span.start);
}

static void line_error(struct preprocessor *p, const struct line *l)
{
	diag_error(p->diags, l->span, "preprocessor", "#error %s", rest(p, l));
	diag_hint(p->diags, "%s", ""); /* it is the script's own */
}

static void line_warning(struct preprocessor *p, const struct line *l)
{
	diag_warning(p->diags, l->span, "preprocessor", "%s", rest(p, l));
}

/* Other pragmas do not change a layout. */
static void line_pragma(struct preprocessor *p, const struct line *l)
{
	if (c_token_is_word(&l->tokens.items[1], "D")) {
		diag_warning(p->diags, l->span, "preprocessor",
			     "'#pragma D' is an option of DTrace");
		diag_hint(p->diags,
			  "leave the line out; options are on the command line: -q for quiet");
	}
	if (!c_token_is_word(&l->tokens.items[1], "pack"))
		return;
	fail(p, l->span, "'#pragma pack' is not supported");
	diag_hint(p->diags, "write __attribute__((packed)) after the '}' of the struct");
}

static void line_line(struct preprocessor *p, const struct line *l)
{
}

static const struct line_row {
	const char *word;
	void (*process)(struct preprocessor *p, const struct line *l);
	bool is_condition; /* also where the text is left out */
} words[] = {
#define C_LINE(word, is_condition) {#word, line_##word, is_condition},
#include "parser/lang/c_lines.def"
};

static void unknown_word(struct preprocessor *p, const struct line *l)
{
	const struct c_token *t = &l->tokens.items[0];

	diag_error(p->diags, l->span, "preprocessor", "'#%.*s' is not a preprocessor line",
		   (int)(t->len > 40 ? 40 : t->len), t->text);
	diag_hint(p->diags, "comments begin with //");
}

void preprocess_line(struct preprocessor *p, const struct c_token *hash, struct c_tokens tokens)
{
	struct line l = {.tokens = tokens};
	const struct line_row *row;

	if (tokens.items[0].kind == CT_END)
		return; /* a '#' alone means nothing in C */
	l.span = span_join(hash->span, tokens.items[0].span);
	row = TEXT_ROW(words, word, tokens.items[0].text, tokens.items[0].len);
	if (preprocess_is_used(p) || (row && row->is_condition))
		(row ? row->process : unknown_word)(p, &l);
}
