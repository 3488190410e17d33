/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canonical form of a script (fmt.h). One statement a line, indented by tabs; the '{' of a
 * probe, macro or function on a line of its own; one attach point a line; an empty line between
 * probes, and where the author left one; `< … >` becomes `{ … }`. A block that is a value stays on
 * its line if it has one expression. Comments stay where they are. A C definition keeps its text.
 */
#include "parser/syntax/fmt.h"
#include "parser/syntax/filter.h"
#include "parser/syntax/fmt_line.h"
#include "parser/syntax/fmt_space.h"
#include "parser.tab.h"

/* What a bracket contains. */
enum role {
	ROLE_INLINE, /* everything that stays on its line */
	ROLE_BODY,   /* a block of a probe, macro or function */
	ROLE_BLOCK,  /* other statements, one a line */
	ROLE_VALUE,  /* statements and a value after them */
};

struct writer {
	struct filter f;
	const char *text;
	enum role *roles;  /* of each opening bracket */
	uint32_t depth;	   /* inline brackets that are open */
	uint32_t n_values; /* open value blocks: a statement in them can be their value */
	bool in_function;  /* so can it here */
	struct fmt_lines lines;
};

static const struct token *at(const struct writer *w, uint32_t i)
{
	return &w->f.tokens[i < w->f.n_tokens ? i : w->f.n_tokens - 1];
}

/* The byte after token `i`. */
static const char *end_of(const struct writer *w, uint32_t i)
{
	const struct token *t = at(w, i);

	return w->text + (t->kind == TOK_C_ITEM ? t->span.start + t->text.len : t->span.end);
}

static bool is_item(int kind)
{
	return kind == TOK_CONFIG || kind == TOK_IMPORT || kind == TOK_ROOT_LET ||
	       kind == TOK_PARAM_ITEM || kind == TOK_C_ITEM;
}

/* ---- roles --------------------------------------------------------------------------------- */

static bool has_comment(const struct writer *w, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const char *end = w->text + at(w, i + 1)->span.start;

		for (const char *c = end_of(w, i); c + 1 < end; c++)
			if (c[0] == '/' && (c[1] == '/' || c[1] == '*'))
				return true;
	}
	return false;
}

/* A value block with one expression and no comment stays on its line. */
static enum role value_role(const struct writer *w, uint32_t open)
{
	uint32_t close = at(w, open)->partner;

	for (uint32_t i = open + 1; i < close; i++)
		if (at(w, i)->kind == TOK_SEMI || at(w, i)->kind == TOK_LBRACE)
			return ROLE_VALUE;
	return has_comment(w, open, close) ? ROLE_VALUE : ROLE_INLINE;
}

/* The settings of `config` stay on their line if there is one. */
static enum role config_role(const struct writer *w, uint32_t open)
{
	uint32_t close = at(w, open)->partner, n = 0;

	for (uint32_t i = open + 1; i < close; i++)
		n += at(w, i)->kind == TOK_SET;
	return n > 1 || has_comment(w, open, close) ? ROLE_BLOCK : ROLE_INLINE;
}

/* Mark the blocks of an `if` that is a value. Returns the last one's '}'. */
static void mark_branches(struct writer *w, uint32_t i)
{
	uint32_t inside = at(w, i)->inside;

	for (; i < w->f.n_tokens && at(w, i)->kind != TOK_SEMI; i++) {
		if (at(w, i)->inside != inside || at(w, i)->kind != TOK_LBRACE)
			continue;
		w->f.tokens[i].kind = TOK_VALUE_OPEN;
		i = at(w, i)->partner;
		if (at(w, i + 1)->kind != TOK_ELSE)
			return;
	}
}

static void find_roles(struct writer *w)
{
	for (uint32_t i = 0; i < w->f.n_tokens; i++)
		if (at(w, i)->kind == TOK_IF_VALUE)
			mark_branches(w, i);
	for (uint32_t i = 0; i < w->f.n_tokens; i++) {
		const struct token *t = at(w, i);

		if (t->kind == TOK_VALUE_OPEN)
			w->roles[i] = value_role(w, i);
		else if (t->kind == TOK_ANGLE_OPEN)
			w->roles[i] = ROLE_BODY;
		else if (t->kind == TOK_LBRACE && i > 1 && at(w, i - 2)->kind == TOK_CONFIG)
			w->roles[i] = config_role(w, i);
		else if (t->kind == TOK_LBRACE)
			w->roles[i] = t->inside == NO_TOKEN ? ROLE_BODY : ROLE_BLOCK;
	}
}

static bool ends_block(const struct writer *w, uint32_t i)
{
	int kind = at(w, i)->kind;

	return (kind == TOK_RBRACE || kind == TOK_ANGLE_CLOSE) &&
	       w->roles[at(w, i)->partner] != ROLE_INLINE;
}

/* True if the ';' at `i` is needed: not after another one, and not after a block of statements. */
static bool is_needed(const struct writer *w, uint32_t i)
{
	const struct token *before = at(w, i - 1);

	if (before->kind == TOK_SEMI || before->kind == TOK_LBRACE ||
	    before->kind == TOK_VALUE_OPEN || before->kind == TOK_ANGLE_OPEN)
		return false;
	return before->kind != TOK_RBRACE || w->roles[before->partner] == ROLE_INLINE ||
	       w->roles[before->partner] == ROLE_VALUE;
}

/* ---- comments ------------------------------------------------------------------------------ */

static uint32_t comment_length(const char *c, const char *end)
{
	const char *newline;
	uint32_t n = 4;

	if (c[1] == '*') {
		while (c + n < end && !(c[n - 2] == '*' && c[n - 1] == '/'))
			n++;
		return n;
	}
	newline = memchr(c, '\n', (size_t)(end - c));
	return (uint32_t)((newline ? newline : end) - c);
}

/* A comment inside a statement, with the end of the line after it if it needs one. */
static void add_comment(struct writer *w, const char *c, uint32_t len, uint32_t newlines)
{
	struct piece p = {.text = c, .len = len, .has_space = true, .must_break = newlines};

	while (p.len && (c[p.len - 1] == ' ' || c[p.len - 1] == '\t' || c[p.len - 1] == '\r'))
		p.len--;
	fmt_add(&w->lines, p);
}

static void put_comment(struct writer *w, const char *c, uint32_t len, uint32_t newlines)
{
	struct fmt_lines *l = &w->lines;

	if (l->n) {
		add_comment(w, c, len, newlines);
		return;
	}
	if (!newlines && l->is_open) {
		fputc(' ', l->out); /* after the text of the line */
	} else {
		l->wants_blank |= newlines > 1;
		fmt_begin(l);
	}
	fmt_comment(l, c, len);
}

/* The comments between the token before `i` and `i`. Returns whether a line must end before `i`. */
static bool put_gap(struct writer *w, uint32_t i)
{
	const char *c = i ? end_of(w, i - 1) : w->text;
	const char *end =
		w->text + (i + 1 < w->f.n_tokens ? at(w, i)->span.start : w->f.source->len);
	bool is_first = i == 0, breaks = false;
	uint32_t newlines = 0;

	while (c < end) {
		uint32_t len = 1;

		if ((c[0] == '/' && c + 1 < end && (c[1] == '/' || c[1] == '*')) ||
		    (is_first && c == w->text && c[0] == '#')) {
			len = comment_length(c, end);
			put_comment(w, c, len, newlines);
			breaks = c[1] != '*';
			newlines = 0;
		} else {
			newlines += *c == '\n';
			breaks &= *c != '\n' || w->lines.n;
		}
		c += len;
	}
	w->lines.wants_blank |= newlines > 1 && !w->lines.n;
	return breaks;
}

/* ---- tokens -------------------------------------------------------------------------------- */

static void add_token(struct writer *w, uint32_t i, bool must_break)
{
	const struct token *t = at(w, i);
	struct piece p = {.text = w->text + t->span.start,
			  .len = (uint32_t)(end_of(w, i) - w->text) - t->span.start,
			  .depth = w->depth,
			  .has_space = fmt_has_space(&w->f, i),
			  .may_break = fmt_may_break(&w->f, i),
			  .must_break = must_break};

	if (t->kind == TOK_ANGLE_OPEN || t->kind == TOK_ANGLE_CLOSE) {
		p.text = t->kind == TOK_ANGLE_OPEN ? "{" : "}";
		p.len = 1;
	}
	fmt_add(&w->lines, p);
}

/* A block without anything, which stays on its line. */
static bool is_empty(const struct writer *w, uint32_t open)
{
	return w->roles[open] == ROLE_BLOCK && at(w, open)->partner == open + 1 &&
	       !has_comment(w, open, open + 1);
}

static void open_block(struct writer *w, uint32_t i, bool must_break)
{
	if (w->roles[i] == ROLE_BODY)
		fmt_flush(&w->lines);
	add_token(w, i, must_break);
	if (is_empty(w, i))
		return;
	fmt_flush(&w->lines);
	w->n_values += w->roles[i] == ROLE_VALUE;
	w->lines.indent++;
	w->lines.begins_block = true;
}

/* The last statement of a block gets its ';', unless it can be the block's value. */
static void end_statement(struct writer *w, uint32_t close)
{
	int kind = at(w, close - 1)->kind;

	if (!w->lines.n || is_empty(w, at(w, close)->partner))
		return;
	if (!w->n_values && !w->in_function && kind != TOK_SEMI)
		fmt_add(&w->lines, (struct piece){.text = ";", .len = 1});
	fmt_flush(&w->lines);
}

static void close_block(struct writer *w, uint32_t i)
{
	enum role role = w->roles[at(w, i)->partner];

	w->lines.indent -= !is_empty(w, at(w, i)->partner);
	w->n_values -= role == ROLE_VALUE;
	w->lines.wants_blank = false;
	w->lines.begins_block = false;
	add_token(w, i, false);
	if (role == ROLE_VALUE)
		return;
	if (at(w, i + 1)->kind == TOK_ELSE && !has_comment(w, i, i + 1))
		return;
	fmt_flush(&w->lines);
	w->lines.wants_blank = at(w, at(w, i)->partner)->inside == NO_TOKEN;
	w->in_function &= role != ROLE_BODY;
}

/* True if a line ends after the token `i`, which opens and closes no block. */
static bool ends_line(const struct writer *w, uint32_t i)
{
	const struct token *t = at(w, i);
	bool is_top = t->inside == NO_TOKEN;

	if (t->kind == TOK_C_ITEM)
		return true;
	if (t->kind == TOK_SEMI)
		return is_top || w->roles[t->inside] != ROLE_INLINE;
	if (t->kind == TOK_COMMA)
		return is_top;
	if (t->kind == TOK_ATTACH || t->kind == TOK_PRED_CLOSE)
		return at(w, i + 1)->kind != TOK_COMMA;
	return t->kind == TOK_RBRACE && at(w, t->partner)->inside == NO_TOKEN;
}

/* Prepare for an item or probe that begins at `i`. */
static void begin_item(struct writer *w, uint32_t i)
{
	int kind = at(w, i)->kind, before = i ? at(w, i - 1)->kind : TOK_YYEOF;

	if (at(w, i)->inside != NO_TOKEN)
		return;
	if (kind == TOK_MACRO || kind == TOK_FN)
		w->in_function = true;
	if (i && (is_item(kind) || kind == TOK_MACRO || kind == TOK_FN || kind == TOK_ATTACH) &&
	    (before == TOK_SEMI || before == TOK_RBRACE || before == TOK_C_ITEM ||
	     before == TOK_ANGLE_CLOSE))
		w->lines.wants_blank |= !is_item(kind) || kind == TOK_CONFIG;
}

static void put_token(struct writer *w, uint32_t i)
{
	const struct token *t = at(w, i);
	bool closes = ends_block(w, i), breaks;

	if (closes)
		end_statement(w, i);
	begin_item(w, i);
	breaks = put_gap(w, i);
	if (t->kind == TOK_SEMI && !is_needed(w, i))
		return;
	if (w->roles[i] != ROLE_INLINE) {
		open_block(w, i, breaks);
	} else if (closes) {
		close_block(w, i);
	} else {
		w->depth -= t->partner != NO_TOKEN && t->partner < i;
		add_token(w, i, breaks);
		w->depth += t->partner != NO_TOKEN && t->partner > i;
		if (ends_line(w, i))
			fmt_flush(&w->lines);
	}
}

void fmt_script(struct arena *a, const struct source *s, FILE *out)
{
	struct diags d = {.arena = a, .source = s}; /* parse() has found none */
	struct writer w = {.text = s->text,
			   .lines = {.arena = a, .out = out, .begins_block = true}};

	filter_open(&w.f, a, s, &d);
	w.roles = arena_alloc(a, w.f.n_tokens * sizeof(*w.roles));
	find_roles(&w);
	for (uint32_t i = 0; i + 1 < w.f.n_tokens; i++)
		put_token(&w, i);
	put_gap(&w, w.f.n_tokens - 1);
	fmt_end(&w.lines);
}
