/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See typed.h. The parser says whether a text is unfinished, so the prompt knows no grammar.
 */
#include "cli/prompt/typed.h"
#include "parser/base/text.h"
#include "cli/base/printing.h"
#include "cli/help/help_rows.h"
#include "cli/prompt/prompt.h"
#include "parser/base/diag.h"
#include "parser/base/nearest.h"
#include "parser/lang/ast.h"
#include "parser/syntax/keywords.h"
#include "runtime/base/log.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

/* The errors of a text; .n is 0 if it is a program. */
static struct diags errors_of(struct arena *a, const char *text)
{
	struct diags d = {.arena = a, .source = source_from_text(a, "typed", text, strlen(text))};

	if (d.source)
		parse(a, d.source, &d);
	return d;
}

static size_t trimmed_length(const char *text)
{
	size_t n = strlen(text);

	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return n;
}

/* An attach point, a predicate or a comma, behind which the block is missing. */
static bool lacks_block(struct arena *a, const char *text)
{
	size_t n = trimmed_length(text);

	if (n && text[n - 1] == ',')
		return errors_of(a, arena_join(a, text, " BEGIN {}", "")).n_errors == 0;
	return strpbrk(text, ":/") && !errors_of(a, arena_join(a, text, "\n{}", "")).n_errors;
}

static bool is_unfinished(struct arena *a, const char *text)
{
	struct diags d = errors_of(a, text);
	size_t n = trimmed_length(text);

	if (!d.n_errors || !n)
		return false;
	return FIND(d.items, d.n,
		    (item->span.start >= n && strcmp(item->tag, "syntax") == 0) ||
			    strcmp(item->tag, "unterminated-comment") == 0) ||
	       lacks_block(a, text) ||
	       !errors_of(a, arena_join(a, text, "\n};", "\nBEGIN {}")).n_errors;
}

bool typed_is_unfinished(const char *text)
{
	struct arena *a = arena_new();
	bool result = is_unfinished(a, text);

	arena_free(a);
	return result;
}

bool typed_is_command_line(const char *line)
{
	line += strspn(line, " \t");
	return *line == '-' || strncmp(line, "sonde ", 6) == 0;
}

const struct prompt_word *typed_find(const struct prompt *p, const char *line)
{
	size_t n;

	line += strspn(line, " \t");
	n = strcspn(line, " \t");
	return FIND(p->words, p->n_words, text_is(line, n, item->word));
}

bool typed_say(struct prompt *p, const char *line)
{
	const struct prompt_word *w = typed_find(p, line);
	const char *rest;

	if (!w)
		return false;
	typed_word(p->a, line, &rest);
	printing_begin();
	w->say(p, arena_strndup(p->a, rest, trimmed_length(rest)));
	printing_end();
	return true;
}

static bool is_one_line(const struct prompt *p, const char *line)
{
	return typed_find(p, line) || (!p->is_of_programs && typed_is_command_line(line));
}

const char *typed_read(const struct prompt *p, const char *prompt)
{
	struct editor *e = p->editor;
	struct arena *a = p->a;
	bool cancelled;
	char *line = editor_read(e, prompt, "", &cancelled);
	const char *text;

	if (!line)
		return NULL;
	text = arena_strdup(a, line);
	free(line);
	if (cancelled || !text[strspn(text, " \t")] || is_one_line(p, text)) {
		editor_remember(e, text);
		return text;
	}
	while (typed_is_unfinished(text)) {
		line = editor_read(e, "   ... ", arena_join(a, text, "\n", ""), &cancelled);
		if (cancelled) {
			free(line);
			return "";
		}
		if (!line || !line[strspn(line, " \t")]) {
			free(line);
			break;
		}
		text = arena_join(a, text, "\n", line);
		free(line);
	}
	editor_remember(e, text);
	return text;
}

const char *typed_word(struct arena *a, const char *line, const char **rest)
{
	size_t n;

	line += strspn(line, " \t");
	n = strcspn(line, " \t");
	*rest = line + n + strspn(line + n, " \t");
	return arena_strndup(a, line, n);
}

/* The type of a probe, or a keyword. */
static bool begins_program(struct arena *a, const char *word)
{
	struct help_rows rows;
	const char *keyword;

	help_rows_collect(a, &rows);
	if (FIND(rows.items, rows.n, item->table == HELP_probes && !strcasecmp(item->name, word)))
		return true;
	for (uint32_t i = 0; (keyword = syntax_keyword(i)); i++)
		if (strcmp(keyword, word) == 0)
			return true;
	return false;
}

bool typed_is_words(struct arena *a, const char *line)
{
	const char *rest;

	for (const char *c = line; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(" \t_-?", *c))
			return false;
	return !begins_program(a, typed_word(a, line, &rest));
}

void typed_unknown(const struct prompt *p, const char *line)
{
	const char *rest, *word = typed_word(p->a, line, &rest);
	const char *near = NEAREST(word, p->words, p->n_words, item->word);

	log_error("'%s' is neither a program nor a word of this prompt", word);
	if (near)
		log_hint("did you mean '%s'?", near);
	else
		log_hint("'help' lists the words");
}
