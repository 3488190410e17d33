/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces between tokens (fmt_space.h): around binary operators, after commas and keywords; none
 * after prefix operators, around `.`, `->` and `..`, and inside parentheses.
 */
#include "parser/syntax/fmt_space.h"
#include "parser/syntax/filter.h"
#include "parser.tab.h"

static int kind_of(const struct filter *f, uint32_t i)
{
	return i < f->n_tokens ? f->tokens[i].kind : TOK_YYEOF;
}

static int opener_of(const struct filter *f, uint32_t i)
{
	uint32_t inside = f->tokens[i].inside;

	return inside == NO_TOKEN ? TOK_YYEOF : f->tokens[inside].kind;
}

/* True if token `i` is a '*' of a type, as in `struct sock *` and `let $x: uint32 * = …`. */
static bool is_type_star(const struct filter *f, uint32_t i)
{
	int next;

	if (kind_of(f, i) != TOK_MUL)
		return false;
	next = kind_of(f, i + 1);
	return opener_of(f, i) == TOK_CAST_OPEN || opener_of(f, i) == TOK_TYPE_OPEN ||
	       next == TOK_SET || next == TOK_SEMI || next == TOK_RPAREN || next == TOK_COMMA ||
	       next == TOK_LSQUARE || next == TOK_LBRACE || is_type_star(f, i + 1);
}

/* True if the word at `i` is the name of a member, as in `.if`. */
static bool is_member(const struct filter *f, uint32_t i)
{
	int before = i ? kind_of(f, i - 1) : TOK_YYEOF;

	return before == TOK_DOT || before == TOK_ARROW;
}

bool fmt_ends_value(const struct filter *f, uint32_t i)
{
	int kind = kind_of(f, i);

	if (is_member(f, i))
		return true;

	if (kind == TOK_INC || kind == TOK_DEC)
		return i && fmt_ends_value(f, i - 1);
	return token_ends_value(kind) &&
	       !(kind == TOK_RPAREN && kind_of(f, f->tokens[i].partner) == TOK_CAST_OPEN);
}

/* True if a value follows token `i` without a space, because `i` is a prefix operator or a cast. */
static bool is_prefix(const struct filter *f, uint32_t i)
{
	switch (kind_of(f, i)) {
	case TOK_NOT:
	case TOK_BNOT: return true;
	case TOK_SUB:
	case TOK_MUL:
	case TOK_AND:
	case TOK_INC:
	case TOK_DEC: return !(i && fmt_ends_value(f, i - 1)) && !is_type_star(f, i);
	case TOK_RPAREN: return kind_of(f, f->tokens[i].partner) == TOK_CAST_OPEN;
	default: return false;
	}
}

/* True if the ':' at `i` belongs to a declaration, `$x: uint64`, or to a result type, and not to `?
 * :` or `for`. */
static bool is_type_colon(const struct filter *f, uint32_t i)
{
	uint32_t inside = f->tokens[i].inside;
	int before = i > 1 ? kind_of(f, i - 2) : TOK_YYEOF;

	if (kind_of(f, i - 1) == TOK_RPAREN && inside == NO_TOKEN)
		return true;
	if (kind_of(f, i - 1) != TOK_VAR)
		return false;
	if (before == TOK_LET || before == TOK_PARAM_ITEM)
		return true;
	return inside != NO_TOKEN && f->tokens[inside].inside == NO_TOKEN &&
	       f->tokens[inside].kind == TOK_LPAREN &&
	       (before == TOK_LPAREN || before == TOK_COMMA);
}

static bool is_keyword(int kind)
{
	return kind == TOK_IF || kind == TOK_IF_VALUE || kind == TOK_ELSE || kind == TOK_WHILE ||
	       kind == TOK_FOR || kind == TOK_UNROLL || kind == TOK_RETURN;
}

/* Tokens that stick to the one before them. */
static bool is_tight(const struct filter *f, uint32_t i)
{
	switch (kind_of(f, i)) {
	case TOK_COMMA:
	case TOK_SEMI:
	case TOK_RPAREN:
	case TOK_RSQUARE:
	case TOK_MEMBER:
	case TOK_DOT:
	case TOK_ARROW:
	case TOK_RANGE:
	case TOK_PRED_CLOSE: return true;
	case TOK_INC:
	case TOK_DEC: return fmt_ends_value(f, i - 1);
	case TOK_COLON: return is_type_colon(f, i) || kind_of(f, i - 1) == TOK_QUESTION;
	case TOK_MUL: return is_type_star(f, i) && kind_of(f, i - 1) == TOK_MUL;
	default: return false;
	}
}

static bool opens(int kind)
{
	return kind == TOK_LPAREN || kind == TOK_LSQUARE || kind == TOK_CAST_OPEN ||
	       kind == TOK_TYPE_OPEN || kind == TOK_RECORD_OPEN || kind == TOK_PRED_OPEN;
}

/* True if the two tokens would read as one, as in `- -1`. */
static bool would_merge(int before, int kind)
{
	return (before == TOK_SUB && (kind == TOK_SUB || kind == TOK_DEC)) ||
	       (before == TOK_AND && kind == TOK_AND);
}

bool fmt_has_space(const struct filter *f, uint32_t i)
{
	int kind = kind_of(f, i), before = i ? kind_of(f, i - 1) : TOK_YYEOF;

	if (before == TOK_PRED_OPEN && kind == TOK_MUL)
		return true; /* a comment begins with the two */
	if (!i || opens(before) || before == TOK_DOT || before == TOK_ARROW || before == TOK_RANGE)
		return false;
	if (is_keyword(before) && kind != TOK_SEMI && !is_member(f, i - 1))
		return true;
	if (kind == TOK_RBRACE && before == TOK_LBRACE)
		return false;
	if (is_tight(f, i) || is_prefix(f, i - 1))
		return would_merge(before, kind);
	if (kind == TOK_LSQUARE)
		return !fmt_ends_value(f, i - 1) && !is_type_star(f, i - 1);
	if (opens(kind))
		return !(before == TOK_NAME || before == TOK_RESERVED || before == TOK_SIZEOF ||
			 before == TOK_OFFSETOF) ||
		       kind == TOK_PRED_OPEN;
	return true;
}

bool fmt_may_break(const struct filter *f, uint32_t i)
{
	int kind = kind_of(f, i);

	if (i && kind_of(f, i - 1) == TOK_COMMA)
		return true;
	return (token_is_operator(kind) && kind != TOK_SET && fmt_ends_value(f, i - 1) &&
		!is_type_star(f, i)) ||
	       kind == TOK_QUESTION ||
	       (kind == TOK_COLON && !is_tight(f, i) && kind_of(f, i - 1) != TOK_QUESTION);
}
