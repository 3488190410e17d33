/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token filter (filter.h). The first pass reads every token; the second (filter_decide.c)
 * tells casts, records and value blocks from parentheses and blocks. In the first pass a stack of
 * open brackets, among them the open block and predicate, decides what a character means:
 *  - in a probe's head '{' and '<' open the block, '/' opens a predicate;
 *  - in a predicate a '/' followed by '{' or '<' ends it; a '{' inside of brackets is a value's;
 *  - in an angle block a '>' with no bracket open inside the block closes it.
 * The grammar sees only balanced brackets: a missing closing bracket is reported and inserted where
 * the outer one closes, a stray one is reported and skipped. Whatever is open at the end of the
 * script silences the grammar from there on. The number of brackets, prefix operators, '?' and
 * else-if chains that are open at once is limited to LIMIT_NESTING, which also limits the grammar's
 * stack: a probe beyond it ends the list. A C definition is skipped as one token. The value of a
 * macro of C is read like a predicate that is the whole script.
 */
#include "parser/syntax/filter_stack.h"
#include "parser/base/text.h"
#include "parser.tab.h"
#include "parser/syntax/foreign_syntax.h"
#include <stdlib.h>

int lexer_lex_init_extra(struct lexer *extra, yyscan_t *scanner);
int lexer_lex_destroy(yyscan_t scanner);
struct yy_buffer_state *lexer__scan_bytes(const char *text, int len, yyscan_t scanner);
int lexer_lex(YYSTYPE *value, struct span *loc, yyscan_t scanner);

static struct token read_token(struct reader *r)
{
	struct token t = {.partner = NO_TOKEN};
	YYSTYPE value = {0};

	t.kind = lexer_lex(&value, &t.span, r->scanner);
	if (t.kind == TOK_INT)
		t.integer = value.integer;
	else
		t.text = value.text;
	return t;
}

bool token_ends_value(int kind)
{
	return kind == TOK_TRUE || kind == TOK_FALSE || kind == TOK_INT || kind == TOK_STRING ||
	       kind == TOK_NAME || kind == TOK_VAR || kind == TOK_MAP || kind == TOK_PARAM ||
	       kind == TOK_MEMBER || kind == TOK_RPAREN || kind == TOK_RSQUARE ||
	       kind == TOK_RBRACE;
}

/* Count what nests without brackets: prefix operators, '?' and else-if. */
static void count_open(struct reader *r, const struct token *t)
{
	struct frame *frame = r->n_frames ? &r->frames[r->n_frames - 1] : NULL;
	uint32_t n = r->f->n_tokens;

	if (!frame)
		return;
	switch (t->kind) {
	case TOK_MUL:
		if (n && token_ends_value(r->f->tokens[n - 1].kind)) {
			frame->n_prefix = 0;
			return;
		}
		frame->n_prefix++;
		break;
	case TOK_SUB:
	case TOK_NOT:
	case TOK_BNOT:
	case TOK_INC:
	case TOK_DEC: frame->n_prefix++; break;
	case TOK_QUESTION: frame->n_ternary++; break;
	case TOK_IF:
		if (n && r->f->tokens[n - 1].kind == TOK_ELSE)
			frame->n_else_if++;
		else
			frame->n_else_if = 0;
		break;
	case TOK_SEMI:
		frame->n_else_if = 0;
		frame->n_ternary = 0;
		frame->n_prefix = 0;
		return;
	case TOK_COMMA:
		frame->n_ternary = 0;
		frame->n_prefix = 0;
		return;
	default: frame->n_prefix = 0; return;
	}
	reader_check_depth(r, t->span);
}

/* A closing bracket closes the innermost open one of its kind. */
static void take_closer(struct reader *r, const struct token *t, int opener)
{
	uint32_t depth = reader_find(r, opener);

	if (!depth) {
		diag_error(r->diags, t->span, "syntax", "unmatched '%s'",
			   reader_closer_text(opener));
		return;
	}
	reader_close_to(r, depth, t);
	reader_close(r, *t, t->kind);
	if (r->n_frames || (r->mode == IN_ITEM && opener != TOK_LBRACE))
		return;
	r->skips_semicolon = r->mode == IN_ITEM;
	reader_enter(r, IN_TOP);
}

/* True for a ';' in the parentheses of a C-style `for`, which is reported once and skipped. */
static bool is_c_for(struct reader *r)
{
	struct frame *frame = r->n_frames ? &r->frames[r->n_frames - 1] : NULL;
	const struct token *opener = frame ? &r->f->tokens[frame->token] : NULL;

	if (!opener || opener->kind != TOK_LPAREN || !frame->token || opener[-1].kind != TOK_FOR)
		return false;
	if (!frame->is_c_for) {
		diag_error(r->diags, opener[-1].span, "syntax",
			   "'for' iterates over a range or a map");
		diag_hint(
			r->diags,
			"write for ($i : 0..10) { … }, or use while: $i = 0; while ($i < 10) { …; $i++; }");
	}
	frame->is_c_for = true;
	return true;
}

/* A ';' closes what is open inside the block. */
static void take_semicolon(struct reader *r, const struct token *t)
{
	uint32_t depth = r->n_frames;

	if (is_c_for(r))
		return;
	while (depth > 0) {
		int kind = r->f->tokens[r->frames[depth - 1].token].kind;

		if (kind != TOK_LPAREN && kind != TOK_LSQUARE)
			break;
		depth--;
	}
	reader_close_to(r, depth, t);
	count_open(r, t);
	reader_push(r, *t);
}

/* A token of a block or predicate. */
static void take_inner(struct reader *r, const struct token *t)
{
	switch (t->kind) {
	case TOK_LPAREN:
	case TOK_LSQUARE:
	case TOK_LBRACE: reader_open(r, *t, t->kind); return;
	case TOK_RPAREN: take_closer(r, t, TOK_LPAREN); return;
	case TOK_RSQUARE: take_closer(r, t, TOK_LSQUARE); return;
	case TOK_RBRACE: take_closer(r, t, TOK_LBRACE); return;
	case TOK_SEMI: take_semicolon(r, t); return;
	case TOK_GT:
		if (!r->n_frames || reader_top(r)->kind != TOK_ANGLE_OPEN)
			break;
		reader_close(r, *t, TOK_ANGLE_CLOSE);
		reader_enter(r, IN_TOP);
		return;
	default: break;
	}
	count_open(r, t);
	if (!r->is_stopped)
		reader_push(r, *t);
}

/* A token of a probe's head, or where a head is expected. */
static void take_head(struct reader *r, const struct token *t)
{
	struct token quiet = *t;

	switch (t->kind) {
	case TOK_LBRACE:
		reader_open(r, *t, TOK_LBRACE);
		reader_enter(r, IN_BODY);
		return;
	case TOK_LT:
		reader_open(r, *t, TOK_ANGLE_OPEN);
		reader_enter(r, IN_BODY);
		return;
	case TOK_DIV:
		reader_open(r, *t, TOK_PRED_OPEN);
		reader_enter(r, IN_PREDICATE);
		return;
	default:
		quiet.is_quiet = r->lexer.is_cut;
		r->lexer.is_cut = false;
		reader_push(r, quiet);
		if (t->kind == TOK_ATTACH && r->mode == IN_TOP)
			reader_enter(r, IN_HEAD);
	}
}

/* End the predicate before `block`: at the '/' read last, or without one, which is reported. */
static void end_predicate(struct reader *r, const struct token *block, bool has_slash)
{
	struct token slash;

	if (has_slash) {
		slash = r->f->tokens[--r->f->n_tokens];
		reader_close_to(r, 1, &slash);
		reader_close(r, slash, TOK_PRED_CLOSE);
	} else {
		diag_error(r->diags, block->span, "syntax",
			   "unterminated predicate: missing '/' before this '{'");
		diag_note(r->diags, reader_top(r)->span, "the predicate begins here");
		reader_close_quietly(r, 0, block->span.start);
	}
}

static void take_predicate(struct reader *r, const struct token *t)
{
	bool has_slash = r->f->tokens[r->f->n_tokens - 1].kind == TOK_DIV;
	bool is_value = r->n_frames > 1 && !has_slash; /* in brackets: a block or an if */

	if ((t->kind == TOK_LBRACE && !is_value) || (t->kind == TOK_LT && has_slash)) {
		end_predicate(r, t, has_slash);
		take_head(r, t);
	} else {
		take_inner(r, t);
	}
}

/* Words that begin a root item, whose tokens go to the grammar up to the ';' or '}' that ends
 * it. */
static const struct {
	const char *word;
	int kind;
} items[] = {
	{"config", TOK_CONFIG}, {"import", TOK_IMPORT}, {"macro", TOK_MACRO},
	{"fn", TOK_FN},		{"let", TOK_ROOT_LET},
};

static bool take_item(struct reader *r, const struct token *word)
{
	__auto_type row = TEXT_ROW(items, word, word->text.text, word->text.len);
	struct token t = *word;

	if (!row)
		return false;
	t.kind = row->kind;
	reader_push(r, t);
	reader_enter(r, IN_ITEM);
	return true;
}

/* What follows white space and comments. */
static const char *after_space(const char *text)
{
	for (const char *end = text; end; text = end ? end + strlen("*/") : text) {
		text += strspn(text, " \t\r\n");
		if (strncmp(text, "//", 2) == 0)
			end = strpbrk(text, "\n");
		else
			end = strncmp(text, "/*", 2) ? NULL : strstr(text + 2, "*/");
	}
	return text;
}

/* Skip an __attribute__((…)) after a definition. */
static bool take_attribute(struct reader *r)
{
	static const char word[] = "__attribute__";
	const char *text = r->f->source->text + r->lexer.offset;
	uint32_t depth = 0;
	int kind;

	text = after_space(text);
	if (strncmp(text, word, sizeof(word) - 1) != 0)
		return false;
	read_token(r);
	do {
		kind = read_token(r).kind;
		depth += kind == TOK_LPAREN;
		depth -= kind == TOK_RPAREN && depth;
	} while (depth && kind != TOK_YYEOF);
	return true;
}

/* A C definition becomes one token. It ends with its ';' or its block; a typedef with its ';'. */
static void take_c_item(struct reader *r, const struct token *word)
{
	struct token item = *word;
	bool is_typedef = strcmp(word->text.text, "typedef") == 0;
	uint32_t depth = 0, at;

	item.kind = TOK_C_ITEM;
	reader_push(r, item);
	at = r->f->n_tokens - 1;
	lexer_enter(r->scanner, LEXER_BODY);
	r->lexer.diags = NULL;
	for (;;) {
		int kind = read_token(r).kind;

		if (kind == TOK_LBRACE)
			depth++;
		else if (kind == TOK_RBRACE && depth)
			depth--;
		else if (kind != TOK_SEMI && kind != TOK_YYEOF)
			continue;
		if (kind == TOK_YYEOF || (!depth && kind == TOK_SEMI) ||
		    (!depth && kind == TOK_RBRACE && !is_typedef)) {
			r->skips_semicolon = kind == TOK_RBRACE;
			if (kind == TOK_YYEOF)
				diag_error(r->diags, word->span, "syntax",
					   depth ? "the '}' of this definition is missing"
						 : "the ';' of this definition is missing");
			break;
		}
	}
	while (r->skips_semicolon && take_attribute(r))
		;
	item.text.len = r->lexer.base + r->lexer.offset - word->span.start;
	item.text.text = arena_strndup(r->arena, filter_text(r->f, word->span), item.text.len);
	r->f->tokens[at].text = item.text;
	r->lexer.diags = r->diags;
	r->lexer.is_cut = false;
	reader_enter(r, IN_TOP);
}

static void take_top(struct reader *r, const struct token *t)
{
	bool skips_semicolon = r->skips_semicolon;

	r->skips_semicolon = false;
	if (t->kind == TOK_PARAM_ITEM) {
		reader_push(r, *t);
		reader_enter(r, IN_PARAM);
	} else if (t->kind == TOK_RESERVED) {
		if (!take_item(r, t))
			take_c_item(r, t);
	} else if (t->kind != TOK_SEMI || !skips_semicolon) {
		take_head(r, t);
	}
}

/* A token of a `param` item, which ends with ';' or with a block that follows instead. */
static void take_param(struct reader *r, const struct token *t)
{
	switch (t->kind) {
	case TOK_LBRACE: take_head(r, t); return;
	case TOK_RBRACE:
	case TOK_LPAREN:
	case TOK_RPAREN:
	case TOK_LSQUARE:
	case TOK_RSQUARE: /* skipped, so that brackets balance */
		diag_error(r->diags, t->span, "syntax", "brackets are not allowed in a parameter");
		return;
	case TOK_SEMI:
		reader_push(r, *t);
		reader_enter(r, IN_TOP);
		return;
	default: reader_push(r, *t);
	}
}

/* `PROBE { … } /pid == 1/` */
static bool is_after_block(const struct reader *r, const struct token *opener)
{
	int before = opener > r->f->tokens ? opener[-1].kind : TOK_YYEOF;

	return before == TOK_RBRACE || before == TOK_ANGLE_CLOSE;
}

/* The script ended with something open: report the innermost, and silence the grammar from there
 * on. */
static void end_unclosed(struct reader *r, uint32_t at)
{
	const struct token *opener = reader_top(r);
	const char *what = opener->kind == TOK_LBRACE || opener->kind == TOK_ANGLE_OPEN
				   ? "the block begins here"
				   : "opened here";

	if (r->lexer.is_cut) {
		; /* reported: the unterminated literal or comment hides the rest */
	} else if (opener->kind == TOK_PRED_OPEN) {
		bool is_after = is_after_block(r, opener);

		diag_error(r->diags, opener->span, "syntax",
			   is_after ? "this condition is after the block"
				    : "unterminated predicate without a block");
		diag_hint(r->diags,
			  is_after ? "write it before the block: PROBE /pid == 1/ { … }"
				   : "a '/' before '{' or '<' ends a predicate: /pid == 1/ { … }");
	} else {
		diag_error(r->diags, (struct span){at, at}, "syntax",
			   "missing '%s' at the end of the %s", reader_closer_text(opener->kind),
			   r->is_value ? "macro" : "script");
		diag_note(r->diags, opener->span, "%s", what);
		foreign_hint_comment(r->f, opener);
	}
	reader_close_quietly(r, 0, at);
}

/* The end token, right after the last token, where missing closers belong. */
static void add_end(struct reader *r)
{
	uint32_t n = r->f->n_tokens, at = n ? r->f->tokens[n - 1].span.end : r->lexer.base;
	struct token end = {.kind = TOK_YYEOF, .span = {at, at}, .partner = NO_TOKEN};

	end.is_quiet = r->is_stopped;
	if (r->is_value && r->n_frames == 1) {
		reader_close(r, end, TOK_PRED_CLOSE);
	} else if (r->n_frames) {
		end_unclosed(r, at);
		end.is_quiet = true;
	}
	reader_push(r, end);
}

static void read_all(struct reader *r)
{
	while (!r->is_stopped) {
		struct token t = read_token(r);

		if (t.kind == TOK_YYEOF)
			break;
		switch (r->mode) {
		case IN_TOP: take_top(r, &t); break;
		case IN_HEAD: take_head(r, &t); break;
		case IN_PREDICATE: take_predicate(r, &t); break;
		case IN_BODY: take_inner(r, &t); break;
		case IN_ITEM:
			take_inner(r, &t);
			if (t.kind == TOK_SEMI && !r->n_frames)
				reader_enter(r, IN_TOP);
			break;
		case IN_PARAM: take_param(r, &t); break;
		}
	}
	add_end(r);
}

static void scan(struct reader *r, const char *text, uint32_t len)
{
	uint32_t start = r->lexer.base + r->lexer.offset;
	struct token begin = {.span = {start, start}, .kind = TOK_VALUE_ONLY};

	if (lexer_lex_init_extra(&r->lexer, &r->scanner) ||
	    !lexer__scan_bytes(text, (int)len, r->scanner))
		arena_out_of_memory();
	reader_enter(r, r->is_value ? IN_BODY : IN_TOP);
	if (r->is_value) {
		reader_push(r, begin);
		reader_open(r, begin, TOK_PRED_OPEN);
	}
	read_all(r);
	r->f->is_mangled = r->lexer.is_mangled;
	lexer_lex_destroy(r->scanner);
	filter_decide(r->f);
}

const char *filter_text(const struct filter *f, struct span s)
{
	return f->source->text + (s.start - f->source->base);
}

void filter_open(struct filter *f, struct arena *a, const struct source *s, struct diags *d)
{
	struct reader r = {.f = f,
			   .arena = a,
			   .diags = d,
			   .lexer = {.arena = a,
				     .diags = d,
				     .base = s->base,
				     .has_no_quotes = source_lost_quotes(s)}};

	*f = (struct filter){.source = s, .diags = d, .last_stop = NO_TOKEN};
	scan(&r, s->text, s->len);
}

/* The text of `span`, in which a '\\' at the end of a line is white space. */
static const char *join_lines(struct arena *a, const struct source *s, struct span span)
{
	char *text = arena_strndup(a, s->text + span.start - s->base, span.end - span.start);

	for (char *at = text; (at = strchr(at, '\\')); at++)
		if (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))
			*at = ' ';
	return text;
}

void filter_open_value(struct filter *f, struct arena *a, const struct source *s, struct span span,
		       const struct value_names *names, struct diags *d)
{
	struct reader r = {
		.f = f,
		.arena = a,
		.diags = d,
		.is_value = true,
		.lexer = {.arena = a, .diags = d, .base = s->base, .offset = span.start - s->base}};

	*f = (struct filter){.source = s, .diags = d, .names = names, .last_stop = NO_TOKEN};
	scan(&r, join_lines(a, s, span), span.end - span.start);
}
