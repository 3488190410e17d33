/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See token_dump.h. The tokens are those that the grammar gets from the filter: '<' and '/' are
 * already told apart from the operators of the same text.
 */
#include "parser/syntax/token_dump.h"
#include "parser.tab.h"
#include "parser/syntax/filter.h"

/* Ranges of parser.y's kinds; the first that holds a kind names it. */
static const struct {
	int first, last;
	const char *name;
} classes[] = {
	{TOK_ATTACH, TOK_ATTACH, "attach point"},
	{TOK_NAME, TOK_NAME, "name"},
	{TOK_MEMBER, TOK_MEMBER, "name"},
	{TOK_VAR, TOK_VAR, "variable"},
	{TOK_MAP, TOK_MAP, "map"},
	{TOK_STRING, TOK_STRING, "string"},
	{TOK_INT, TOK_INT, "number"},
	{TOK_TRUE, TOK_FALSE, "number"},
	{TOK_PARAM, TOK_PARAM, "parameter"},
	{TOK_PARAM_ITEM, TOK_PARAM_ITEM, "parameter"},
	{TOK_RESERVED, TOK_RESERVED, "keyword"},
	{TOK_IF, TOK_IF_VALUE, "keyword"},
	{TOK_SIZEOF, TOK_ROOT_LET, "keyword"},
	{TOK_C_ITEM, TOK_C_ITEM, "definition of C"},
	{TOK_ANGLE_OPEN, TOK_ANGLE_OPEN, "block begins"},
	{TOK_ANGLE_CLOSE, TOK_ANGLE_CLOSE, "block ends"},
	{TOK_PRED_OPEN, TOK_PRED_OPEN, "predicate begins"},
	{TOK_PRED_CLOSE, TOK_PRED_CLOSE, "predicate ends"},
	{TOK_CAST_OPEN, TOK_CAST_OPEN, "cast begins"},
	{TOK_RECORD_OPEN, TOK_RECORD_OPEN, "record begins"},
	{TOK_VALUE_OPEN, TOK_VALUE_OPEN, "value begins"},
	{TOK_TYPE_OPEN, TOK_TYPE_OPEN, "type begins"},
	{TOK_DISCARD, TOK_DISCARD, "discard"},
	{TOK_LPAREN, TOK_RBRACE, "bracket"},
	{TOK_COMMA, TOK_MOD, "operator"},
};

static const char *class_of(int kind)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (kind >= classes[i].first && kind <= classes[i].last)
			return classes[i].name;
	return "token";
}

void token_each(const struct source *s, void (*fn)(void *ctx, struct span span, const char *kind),
		void *ctx)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a, .source = s};
	struct filter f = {0};

	filter_open(&f, a, s, &d);
	for (uint32_t i = 0; i < f.n_tokens && f.tokens[i].kind != TOK_YYEOF; i++)
		fn(ctx, f.tokens[i].span, class_of(f.tokens[i].kind));
	arena_free(a);
}

struct dump {
	const struct source *source;
	FILE *out;
};

/* The text is on one line: what is longer ends with "…". */
static void print_token(void *ctx, struct span span, const char *kind)
{
	const struct dump *d = ctx;
	struct place at = source_place(d->source, span.start);
	const char *text = d->source->text + span.start;
	uint32_t len = span.end - span.start, n = 0;

	while (n < len && text[n] != '\n')
		n++;
	fprintf(d->out, "%u:%-4u %-16s %.*s%s\n", at.line, at.col, kind, (int)n, text,
		n < len ? "…" : "");
}

void token_dump(const struct source *s, FILE *out)
{
	token_each(s, print_token, &(struct dump){s, out});
}
