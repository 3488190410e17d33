/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the row of foreign_form.def that fits the tokens around a syntax error.
 */
#include "parser/base/arena.h"
#include "parser/base/text.h"
#include "parser.tab.h"
#include "parser/syntax/foreign_syntax.h"
#include <ctype.h>
#include <strings.h>

enum {
	ITEMS_MOST = 9,
	SHOWN_MOST = 40, /* bytes of a token in a message */
	CLASS_VALUE = -1,
	CLASS_ANY = -2,
	CLASS_COMMAND = -3,
};

struct item {
	const char *text;
	size_t len;
	bool is_stop, is_shown, is_adjacent, is_gap;
	uint32_t token; /* what it matched */
};

struct form {
	const struct filter *f;
	struct item items[ITEMS_MOST];
	int n;
};

static const struct {
	const char *word;
	int kind;
} classes[] = {
	{"VALUE", CLASS_VALUE}, {"ANY", CLASS_ANY}, {"INT", TOK_INT}, {"STRING", TOK_STRING},
	{"NAME", TOK_NAME},	{"VAR", TOK_VAR},   {"MAP", TOK_MAP}, {"COMMAND", CLASS_COMMAND},
};

static const struct {
	const char *pattern, *error, *hint;
} forms[] = {
#define FOREIGN_FORM(pattern, error, hint) {pattern, error, hint},
#include "parser/syntax/foreign_form.def"
};

/* The result points behind the item. */
static const char *read_item(struct item *item, const char *text)
{
	*item = (struct item){.len = strcspn(text, " ")};
	for (; item->len > 1; text++, item->len--) {
		if (*text == '^')
			item->is_stop = true;
		else if (*text == '_')
			item->is_shown = true;
		else if (*text == '`')
			item->is_adjacent = true;
		else
			break;
	}
	item->text = text;
	item->is_gap = text_is(text, item->len, "..");
	text += item->len;
	return text + (*text == ' ');
}

static bool is_command(const struct token *t)
{
	static const char *const names[] = {"awk", "cut",  "grep", "head", "jq",   "less", "more",
					    "sed", "sort", "tail", "tee",  "uniq", "wc"};

	return t->kind == TOK_NAME && TEXT_IS_IN(names, t->text.text, strlen(t->text.text));
}

static bool fits(const struct form *form, const struct item *item, uint32_t i)
{
	const struct token *t = &form->f->tokens[i];
	__auto_type class = TEXT_ROW(classes, word, item->text, item->len);

	if (item->is_adjacent && (!i || t[-1].span.end != t->span.start))
		return false;
	if (!class)
		return t->span.end - t->span.start == item->len &&
		       strncasecmp(filter_text(form->f, t->span), item->text, item->len) == 0;
	if (class->kind == CLASS_COMMAND)
		return is_command(t);
	if (class->kind == CLASS_VALUE)
		return token_ends_value(t->kind) && t->kind != TOK_RBRACE;
	return class->kind == CLASS_ANY ? t->kind != TOK_YYEOF : class->kind == t->kind;
}

static bool ends_statement(int kind)
{
	return kind == TOK_SEMI || kind == TOK_LBRACE || kind == TOK_RBRACE || kind == TOK_YYEOF;
}

/* Compare items from the k-th on with tokens from the i-th on, to the right or, with `step` -1, to
 * the left. */
static bool matches(struct form *form, int k, uint32_t i, int step)
{
	if (k < 0 || k == form->n)
		return true;
	for (; i < form->f->n_tokens; i += (uint32_t)step) {
		if (form->items[k].is_gap && matches(form, k + step, i, step))
			return true;
		if (form->items[k].is_gap && ends_statement(form->f->tokens[i].kind))
			return false;
		if (form->items[k].is_gap)
			continue;
		form->items[k].token = i;
		return fits(form, &form->items[k], i) &&
		       matches(form, k + step, i + (uint32_t)step, step);
	}
	return false;
}

static bool is_here(struct form *form, const char *pattern)
{
	int stop = 0;

	for (form->n = 0; *pattern; form->n++) {
		pattern = read_item(&form->items[form->n], pattern);
		if (form->items[form->n].is_stop)
			stop = form->n;
	}
	return matches(form, stop, form->f->current, 1) &&
	       matches(form, stop, form->f->current, -1);
}

/* Where the calls, keys and members begin whose last token is the i-th. */
static uint32_t value_begin(const struct token *tokens, uint32_t i)
{
	for (;;) {
		uint32_t open = tokens[i].kind == TOK_RPAREN || tokens[i].kind == TOK_RSQUARE
					? tokens[i].partner
					: i;
		const struct token *before = open ? &tokens[open - 1] : NULL;

		if (before &&
		    (tokens[i].kind == TOK_MEMBER || (open < i && before->kind == TOK_NAME) ||
		     (open < i && tokens[open].kind == TOK_LSQUARE &&
		      token_ends_value(before->kind))))
			i = open - 1;
		else if (open > 1 && (before->kind == TOK_DOT || before->kind == TOK_ARROW))
			i = open - 2;
		else
			return open;
	}
}

/* Where a call, an entry of a map or a member ends that begins with the i-th. */
static uint32_t value_end(const struct filter *f, uint32_t i)
{
	for (;; i++) {
		const struct token *next = &f->tokens[i + 1];

		if ((next->kind == TOK_LPAREN || next->kind == TOK_LSQUARE) &&
		    next->partner != NO_TOKEN)
			i = next->partner - 1;
		else if ((next->kind == TOK_DOT || next->kind == TOK_ARROW) &&
			 next[1].kind == TOK_NAME)
			i++;
		else if (next->kind != TOK_MEMBER)
			return i;
	}
}

/* The text with what the items have matched. */
static const char *fill(const struct form *form, const char *text)
{
	struct arena *a = form->f->diags->arena;
	const char *filled = "";

	for (; *text; text++) {
		const struct token *tokens = form->f->tokens;
		uint32_t first, last;
		struct span span;

		if (*text != '%' || !isdigit((unsigned char)text[1])) {
			filled = arena_printf(a, "%s%c", filled, *text);
			continue;
		}
		first = last = form->items[*++text - '1'].token;
		if (*text == '1')
			first = value_begin(tokens, last);
		else if (token_ends_value(tokens[last].kind))
			last = value_end(form->f, last);
		span = span_join(tokens[first].span, tokens[last].span);
		filled = arena_printf(a, "%s%s", filled, syntax_shown(form->f, span, SHOWN_MOST));
	}
	return filled;
}

static struct span shown(const struct form *form)
{
	struct span span = form->f->tokens[form->f->current].span;
	bool is_first = true;

	for (int k = 0; k < form->n; k++) {
		struct span one = form->f->tokens[form->items[k].token].span;

		if (!form->items[k].is_shown)
			continue;
		span = is_first ? one : span_join(span, one);
		is_first = false;
	}
	return span;
}

bool report_foreign_form(struct filter *f)
{
	struct form form = {.f = f};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!is_here(&form, forms[i].pattern))
			continue;
		diag_error(f->diags, shown(&form), "syntax", "%s", fill(&form, forms[i].error));
		diag_hint(f->diags, "%s", fill(&form, forms[i].hint));
		return true;
	}
	return false;
}
