/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token array and the stack of open brackets: see filter_stack.h.
 */
#include "parser/syntax/filter_stack.h"
#include "parser/lang/c_type.h"
#include "parser.tab.h"

enum { SHOWN_MOST = 40 }; /* bytes of a key in a hint */

void reader_enter(struct reader *r, enum mode mode)
{
	static const enum lexer_state states[] = {
		[IN_TOP] = LEXER_TOP,	[IN_HEAD] = LEXER_HEAD, [IN_PREDICATE] = LEXER_BODY,
		[IN_BODY] = LEXER_BODY, [IN_ITEM] = LEXER_BODY, [IN_PARAM] = LEXER_BODY,
	};

	r->mode = mode;
	lexer_enter(r->scanner, states[mode]);
	if (mode == IN_TOP)
		r->probe_start = r->f->n_tokens;
}

struct token *reader_top(const struct reader *r)
{
	return r->n_frames ? &r->f->tokens[r->frames[r->n_frames - 1].token] : NULL;
}

static const struct bracket {
	int opener, closer;
	const char *text; /* of the closing one */
} brackets[] = {
	{TOK_LPAREN, TOK_RPAREN, ")"},	      {TOK_LSQUARE, TOK_RSQUARE, "]"},
	{TOK_LBRACE, TOK_RBRACE, "}"},	      {TOK_ANGLE_OPEN, TOK_ANGLE_CLOSE, ">"},
	{TOK_PRED_OPEN, TOK_PRED_CLOSE, "/"},
};
enum { N_BRACKETS = sizeof(brackets) / sizeof(brackets[0]) };

static bool is_closer(int kind)
{
	for (int i = 0; i < N_BRACKETS; i++)
		if (brackets[i].closer == kind)
			return true;
	return false;
}

static const struct bracket *bracket_of(int opener)
{
	const struct bracket *b = brackets;

	while (b->opener != opener)
		b++;
	return b;
}

const char *reader_closer_text(int opener)
{
	return bracket_of(opener)->text;
}

static const char *last_word(const char *text)
{
	const char *blank = strrchr(text, ' ');

	return blank ? blank + 1 : text;
}

/* Words of C's types that follow each other are one name: "unsigned long". A qualifier is a part of
 * the name that follows. */
static bool joins_last(struct reader *r, const struct token *t)
{
	struct token *last = r->f->n_tokens ? &r->f->tokens[r->f->n_tokens - 1] : NULL;

	if (!last || last->kind != TOK_NAME || (t->kind != TOK_NAME && t->kind != TOK_RESERVED))
		return false;
	if (c_types_is_qualifier(last->text.text, strlen(last->text.text))) {
		last->kind = t->kind;
		last->text = t->text;
	} else if (t->kind == TOK_NAME && c_types_is_number_word(last_word(last->text.text)) &&
		   c_types_is_number_word(t->text.text)) {
		last->text.text = arena_printf(r->arena, "%s %s", last->text.text, t->text.text);
	} else {
		return false;
	}
	last->span.end = t->span.end;
	return true;
}

void reader_push(struct reader *r, struct token t)
{
	if (joins_last(r, &t))
		return;
	if (t.partner == NO_TOKEN && is_closer(t.kind))
		t.partner = r->f->n_tokens;
	t.inside = r->n_frames ? r->frames[r->n_frames - 1].token : NO_TOKEN;
	arena_push(r->arena, r->f->tokens, r->f->n_tokens, t);
}

/* Nested too deeply: drop this probe and end the script before it. */
static void stop_too_deep(struct reader *r, struct span s)
{
	diag_error(r->diags, s, "limit-nesting", "nested too deeply: more than %d levels",
		   LIMIT_NESTING);
	r->f->n_tokens = r->probe_start;
	r->n_frames = 0;
	r->is_stopped = true;
}

void reader_check_depth(struct reader *r, struct span s)
{
	uint32_t depth = r->n_frames;

	for (uint32_t i = 0; i < r->n_frames; i++)
		depth += r->frames[i].n_prefix + r->frames[i].n_ternary + r->frames[i].n_else_if;
	if (depth >= LIMIT_NESTING)
		stop_too_deep(r, s);
}

void reader_open(struct reader *r, struct token t, int kind)
{
	reader_check_depth(r, t.span);
	if (r->is_stopped)
		return;
	t.kind = kind;
	t.partner = NO_TOKEN;
	reader_push(r, t);
	r->frames[r->n_frames++] = (struct frame){.token = r->f->n_tokens - 1};
}

/* Mark the tokens from `first` on: syntax errors there follow from one that was reported. */
static void silence(struct reader *r, uint32_t first)
{
	for (uint32_t i = first; i < r->f->n_tokens; i++)
		r->f->tokens[i].is_quiet = true;
}

void reader_close(struct reader *r, struct token t, int kind)
{
	uint32_t opener = r->frames[r->n_frames - 1].token;
	struct frame *outer;

	t.kind = kind;
	t.partner = opener;
	reader_push(r, t);
	r->f->tokens[opener].partner = r->f->n_tokens - 1;
	if (r->frames[r->n_frames - 1].is_c_for)
		silence(r, opener);
	r->n_frames--;
	if (!r->n_frames)
		return;
	outer = &r->frames[r->n_frames - 1];
	outer->n_prefix = 0;
	if (kind == TOK_RBRACE)
		outer->n_ternary = 0;
}

void reader_close_quietly(struct reader *r, uint32_t depth, uint32_t at)
{
	struct token made = {.span = {at, at}, .is_quiet = true};

	silence(r, r->frames[depth].token);
	while (r->n_frames > depth)
		reader_close(r, made, bracket_of(reader_top(r)->kind)->closer);
}

/* `@[comm = count();`: the '=' before which the ']' is missing. */
static const struct token *find_set(const struct reader *r, const struct token *opener)
{
	const struct token *end = r->f->tokens + r->f->n_tokens;

	if (opener->kind != TOK_LSQUARE || opener == r->f->tokens || opener[-1].kind != TOK_MAP)
		return NULL;
	for (const struct token *t = opener + 2; t < end; t++)
		if (t->inside == opener - r->f->tokens && t->kind >= TOK_SET &&
		    t->kind <= TOK_XOR_SET)
			return t;
	return NULL;
}

static void report_set(const struct reader *r, const struct token *map, const struct token *set)
{
	uint32_t start = map[2].span.start, len = set[-1].span.end - start;
	struct span key = {start, start + len};

	diag_error(r->diags, set->span, "syntax", "missing ']' before this '%.*s'",
		   (int)(set->span.end - set->span.start), filter_text(r->f, set->span));
	if (len <= SHOWN_MOST)
		diag_hint(r->diags, "write %s[%.*s] = …", map->text.text, (int)len,
			  filter_text(r->f, key));
}

void reader_close_to(struct reader *r, uint32_t depth, const struct token *t)
{
	const struct token *opener = reader_top(r), *set;

	if (r->n_frames <= depth)
		return;
	set = find_set(r, opener);
	if (!r->lexer.is_cut && set) {
		report_set(r, opener - 1, set);
	} else if (!r->lexer.is_cut) {
		diag_error(r->diags, t->span, "syntax", "missing '%s' before this '%c'",
			   reader_closer_text(opener->kind), *filter_text(r->f, t->span));
		diag_note(r->diags, opener->span, "the '%c' is here",
			  *filter_text(r->f, opener->span));
	}
	r->lexer.is_cut = false;
	reader_close_quietly(r, depth, t->span.start);
}

/* Number of the innermost frame of `kind`, from 1; 0 when there is none in this region. */
uint32_t reader_find(const struct reader *r, int kind)
{
	for (uint32_t i = r->n_frames; i > 0; i--) {
		int opener = r->f->tokens[r->frames[i - 1].token].kind;

		if (opener == kind)
			return i;
		if (opener != TOK_LPAREN && opener != TOK_LSQUARE)
			break;
	}
	return 0;
}
