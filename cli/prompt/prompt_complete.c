/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion at the prompt. What a word may become depends on where it is: the first word, a word
 * behind one of the prompt, an attach point, or a place in a block; the names come from the
 * tables and from what -l lists.
 */
#include "cli/prompt/prompt.h"
#include "cli/help/help.h"
#include "cli/help/help_rows.h"
#include "cli/options/explain_stage.h"
#include "cli/options/option_rows.h"
#include "cli/scripts/scripts.h"
#include "cli/prompt/typed.h"
#include "parser/syntax/keywords.h"
#include "runtime/list/list.h"
#include <ctype.h>

enum { MOST_PROBES = 2000 };

/* The word before the cursor, of characters that `is_part` takes. */
static const char *word_start(const char *text, size_t cursor, const char *more)
{
	while (cursor && (isalnum((unsigned char)text[cursor - 1]) ||
			  (text[cursor - 1] && strchr(more, text[cursor - 1]))))
		cursor--;
	return text + cursor;
}

/* ---- what -l lists ------------------------------------------------------------------------- */

/* The first parts of a line, as many as colons have been typed and one more, with the colon behind
 * it. */
static const char *parts_of(struct arena *a, const char *line, uint32_t colons)
{
	for (size_t n = 0, i = 0; line[n]; n++)
		if (line[n] == ':' && i++ == colons)
			return arena_strndup(a, line, n + 1);
	return arena_strdup(a, line);
}

static void offer_types(struct candidates *out, const char *typed)
{
	struct help_rows rows;

	help_rows_collect(out->arena, &rows);
	for (uint32_t i = 0; i < rows.n; i++) {
		const struct help_row *r = &rows.items[i];

		if (r->table == HELP_probes)
			candidates_offer(out, typed,
					 arena_join(out->arena, r->name,
						    strchr(r->form, ':') ? ":" : "", ""));
	}
}

/* The type of probe whose short name, such as `t`, is what is typed before the first colon. */
static const char *long_type(struct arena *a, const char *typed)
{
	size_t len = strcspn(typed, ":"), n;
	struct help_rows rows;

	help_rows_collect(a, &rows);
	for (uint32_t i = 0; i < rows.n; i++) {
		const char *at = rows.items[i].other;

		for (; rows.items[i].table == HELP_probes && at && *at; at += n + (at[n] == ' ')) {
			n = strcspn(at, " ");
			if (n == len && strncmp(at, typed, n) == 0)
				return rows.items[i].name;
		}
	}
	return NULL;
}

/* A part of a listed line, with the type as it was typed. */
static const char *as_typed(struct arena *a, const char *part, const char *typed, const char *type)
{
	size_t n = type ? strlen(type) : 0;

	if (!type || strncmp(part, type, n) != 0)
		return part;
	return arena_join(a, arena_strndup(a, typed, strcspn(typed, ":")), part + n, "");
}

struct probes_wanted {
	struct candidates *out;
	const char *typed, *type; /* type: the long name of the type that is typed, or NULL */
	uint32_t colons;
};

static void offer_line(void *ctx, const char *line)
{
	const struct probes_wanted *w = ctx;
	struct candidates *out = w->out;
	const char *part;

	if (out->n == MOST_PROBES)
		return;
	part = as_typed(out->arena, parts_of(out->arena, line, w->colons), w->typed, w->type);
	if (!out->n || strcmp(out->words[out->n - 1], part) != 0)
		candidates_offer(out, w->typed, part);
}

static void offer_probes(struct prompt *p, struct candidates *out, const char *typed)
{
	struct probes_wanted w = {out, typed, long_type(out->arena, typed), 0};

	for (const char *c = typed; *c; c++)
		w.colons += *c == ':';
	if (w.colons)
		list_each(p->kernel, arena_join(out->arena, typed, "*", ""), offer_line, &w);
	else
		offer_types(out, typed);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* The attach point whose block is open at the end of the text: what is before its brace. NULL: none
 * is open. */
static const char *open_probe(struct arena *a, const char *text)
{
	const char *start = text, *open = NULL;
	bool is_quoted = false;
	int depth = 0;

	for (const char *c = text; *c; c++) {
		if (*c == '"' && (c == text || c[-1] != '\\'))
			is_quoted = !is_quoted;
		if (is_quoted)
			continue;
		if (*c == '{' && depth++ == 0)
			open = c;
		if (*c == '}' && depth && --depth == 0)
			start = c + 1;
	}
	if (!depth || !open)
		return NULL;
	start += strspn(start, " \t\n");
	return arena_strndup(a, start, strcspn(start, " \t\n,/{<"));
}

struct typed_word {
	struct candidates *out;
	const char *typed;
};

static void offer_field(void *ctx, const char *name, size_t len)
{
	const struct typed_word *w = ctx;

	candidates_offer(w->out, w->typed, arena_strndup(w->out->arena, name, len));
}

static void offer_fields(struct prompt *p, struct candidates *out, const char *typed,
			 const char *probe)
{
	struct typed_word w = {out, typed};

	if (*probe)
		list_each_field(p->kernel, probe, offer_field, &w);
	out->ends = "";
}

/* Names in a text that begin with a sign, @ or $. */
static void offer_signed(struct candidates *out, const char *typed, const char *text)
{
	for (const char *at = text; (at = strchr(at, *typed));) {
		size_t n = 1;

		while (isalnum((unsigned char)at[n]) || at[n] == '_')
			n++;
		if (at != typed)
			candidates_offer(out, typed, arena_strndup(out->arena, at, n));
		at += n;
	}
	out->ends = "";
}

/* Maps of the last run. */
static void offer_maps(struct prompt *p, struct candidates *out, const char *typed)
{
	struct prompt_request r = {.what = PROMPT_NAME_MAPS};
	struct prompt_reply reply;

	if (p->child.pid > 0 && prompt_ask(p, &r, &reply))
		for (char *word = strtok(reply.names, " "); word; word = strtok(NULL, " "))
			candidates_offer(out, typed, word);
}

/* Names of the language in a block: builtins, functions with their bracket, keywords. */
static void offer_names(struct candidates *out, const char *typed)
{
	struct help_rows rows;
	const char *word;

	help_rows_collect(out->arena, &rows);
	for (uint32_t i = 0; i < rows.n; i++) {
		enum help_table table = rows.items[i].table;

		if (table == HELP_variables)
			candidates_offer(out, typed, rows.items[i].name);
		else if (table == HELP_functions || table == HELP_aggregations ||
			 table == HELP_macros)
			candidates_offer(out, typed,
					 arena_join(out->arena, rows.items[i].name, "(", ""));
	}
	for (uint32_t i = 0; (word = syntax_keyword(i)); i++)
		candidates_offer(out, typed, word);
	out->ends = "";
}

/* All that `help` knows. */
static void offer_topics(struct candidates *out, const char *typed)
{
	struct help_rows rows;
	const char *topic;

	help_rows_collect(out->arena, &rows);
	for (uint32_t i = 0; i < rows.n; i++)
		candidates_offer(out, typed, rows.items[i].name);
	for (uint32_t i = 0; (topic = help_topic(i)); i++)
		candidates_offer(out, typed, topic);
}

static void complete_block(struct prompt *p, const char *text, size_t cursor, const char *probe,
			   struct candidates *out)
{
	const char *typed = word_start(text, cursor, "_");

	if (typed > text && (typed[-1] == '@' || typed[-1] == '$'))
		typed--;
	out->typed = strlen(typed);
	if (typed - text >= 5 && strncmp(typed - 5, "args.", 5) == 0) {
		offer_fields(p, out, typed, probe);
	} else if (*typed == '@' || *typed == '$') {
		offer_signed(out, typed, text);
		if (*typed == '@')
			offer_maps(p, out, typed);
	} else {
		offer_names(out, typed);
	}
}

/* ---- words of the prompt ------------------------------------------------------------------- */

static void offer_options(struct candidates *out, const char *typed, const char *before)
{
	const struct option_row *row = option_find(FW_ANY, before, strlen(before));
	const char *word;

	for (uint32_t i = 0; row && row->arg && (word = option_word(row, i)); i++)
		candidates_offer(out, typed, word);
	if (row && row->arg)
		return;
	for (int i = 0; i < n_option_rows; i++) {
		if (!option_is_listed(&option_rows[i], FW_ANY))
			continue;
		candidates_offer(out, typed, option_rows[i].name);
		if (option_rows[i].other)
			candidates_offer(out, typed, option_rows[i].other);
	}
}

static void offer_print_words(struct prompt *p, struct candidates *out, const char *typed,
			      const char *before)
{
	static const char *const clauses[] = {"top", "has", "as", "to"};

	if (strcmp(before, "as") == 0) {
		for (int i = 0; i < OUT_FORMAT_COUNT; i++)
			candidates_offer(out, typed, out_formats[i].name);
		return;
	}
	for (size_t i = 0; i < sizeof(clauses) / sizeof(*clauses); i++)
		candidates_offer(out, typed, clauses[i]);
	offer_maps(p, out, typed);
}

static void offer_script(void *ctx, const char *name)
{
	const struct typed_word *w = ctx;

	candidates_offer(w->out, w->typed, name);
}

/* The word before the one that is typed. */
static const char *word_before(struct arena *a, const char *text, const char *typed)
{
	const char *end = typed;

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	typed = end;
	while (typed > text && !isspace((unsigned char)typed[-1]))
		typed--;
	return arena_strndup(a, typed, (size_t)(end - typed));
}

static void complete_words(struct prompt *p, const char *text, const char *typed,
			   enum prompt_follows follows, struct candidates *out)
{
	const char *before = word_before(out->arena, text, typed);
	struct typed_word script = {out, typed};

	switch (follows) {
	case PROMPT_NOTHING: break;
	case PROMPT_HELP: offer_topics(out, typed); break;
	case PROMPT_PROBES: offer_probes(p, out, typed); break;
	case PROMPT_SCRIPTS: scripts_each(offer_script, &script); break;
	case PROMPT_MAPS: offer_print_words(p, out, typed, before); break;
	case PROMPT_OPTIONS: offer_options(out, typed, before); break;
	case PROMPT_STAGES:
		for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
			candidates_offer(out, typed, explain_rows[i].word);
		break;
	}
}

/* The first word of a line: all that one can begin with. */
static void complete_first(struct prompt *p, const char *typed, struct candidates *out)
{
	for (uint32_t i = 0; !strchr(typed, ':') && i < p->n_words; i++)
		candidates_offer(out, typed, p->words[i].word);
	offer_probes(p, out, typed);
}

void prompt_complete(void *ctx, const char *text, struct candidates *out)
{
	size_t cursor = strlen(text);
	struct prompt *p = ctx;
	const char *probe = open_probe(out->arena, text), *rest, *typed;
	const char *first = typed_word(out->arena, text, &rest);
	const struct prompt_word *word = typed_find(p, text);

	out->ends = " ";
	if (probe) {
		complete_block(p, text, cursor, probe, out);
		return;
	}
	typed = word_start(text, cursor, "_:*.@/-$?+~");
	out->typed = strlen(typed);
	if (word && (*rest || typed != text))
		complete_words(p, text, typed, word->follows, out);
	else if (*first == '-' || strcmp(first, "sonde") == 0)
		offer_options(out, typed, word_before(out->arena, text, typed));
	else
		complete_first(p, typed, out);
}
