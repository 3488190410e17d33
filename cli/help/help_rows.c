/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the rows of each table into the form of help_rows.h. Nothing here knows a row by name.
 */
#include "cli/help/help_rows.h"
#include "cli/base/first_words.h"
#include "cli/options/option_rows.h"
#include "parser/base/arena.h"
#include "parser/expand/standard.h"
#include "parser/lang/builtin.h"
#include "parser/lang/config.h"
#include "parser/lang/format_spec.h"
#include "parser/lang/probe.h"
#include "parser/lang/reason.h"
#include "parser/lang/stack_word.h"
#include "runtime/output/out_format.h"
#include <string.h>

const struct help_topic help_topics[] = {
#define HELP_TABLE(topic, ...) [HELP_##topic] = {#topic, __VA_ARGS__},
#include "cli/help/help_tables.def"
};
_Static_assert(sizeof(help_topics) / sizeof(*help_topics) == HELP_TABLE_COUNT, "one row each");

static void add(struct help_rows *rows, struct help_row row)
{
	arena_push(rows->arena, rows->items, rows->n, row);
}

/* "only in kprobe, fentry", or NULL. */
static const char *where_of(struct arena *a, const struct builtin *b)
{
	const char *text = NULL;

	for (uint32_t i = 0; b->where != W_ANY && i < PROBE_COUNT; i++)
		if (builtin_exists_in(b, i))
			text = text ? arena_printf(a, "%s, %s", text, probe_rows[i].name)
				    : arena_printf(a, "Only in %s", probe_rows[i].name);
	return text ? arena_printf(a, "%s.", text) : NULL;
}

static void add_builtins(struct help_rows *rows, enum help_table table, enum builtin_kind kind)
{
	for (uint32_t i = 0; i < BI_COUNT; i++)
		if (builtins[i].kind == kind)
			add(rows, (struct help_row){.table = table,
						    .name = builtins[i].name,
						    .form = builtins[i].signature,
						    .doc = builtins[i].doc,
						    .note = where_of(rows->arena, &builtins[i]),
						    .example = builtins[i].example});
}

static void add_variables(struct help_rows *rows)
{
	add_builtins(rows, HELP_variables, BUILTIN_VAR);
}

static void add_functions(struct help_rows *rows)
{
	add_builtins(rows, HELP_functions, BUILTIN_FN);
}

static void add_aggregations(struct help_rows *rows)
{
	add_builtins(rows, HELP_aggregations, BUILTIN_AGG);
}

/* A line of the comment at the start of a macro's text, without its "//"; NULL after the last. */
static const char *comment_line(struct arena *a, const char **at)
{
	const char *line = *at + 3, *end = strchr(*at, '\n');

	if (strncmp(*at, "// ", 3) != 0 || !end)
		return NULL;
	*at = end + 1;
	return arena_strndup(a, line, (size_t)(end - line));
}

/* The first line is the usage, the others say what it does; "Example: " begins the example. */
static void add_macros(struct help_rows *rows)
{
	static const char mark[] = "Example: ";
	struct arena *a = rows->arena;

	for (uint32_t i = 0; i < n_standard_macros; i++) {
		const char *at = standard_macros[i].text, *line;
		struct help_row row = {.table = HELP_macros,
				       .name = standard_macros[i].name,
				       .form = comment_line(a, &at),
				       .doc = ""};

		while ((line = comment_line(a, &at)))
			if (strncmp(line, mark, sizeof(mark) - 1) == 0)
				row.example = line + sizeof(mark) - 1;
			else
				row.doc = *row.doc ? arena_printf(a, "%s %s", row.doc, line) : line;
		add(rows, row);
	}
}

static void add_probes(struct help_rows *rows)
{
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		const struct probe_row *p = &probe_rows[i];

		add(rows, (struct help_row){.table = HELP_probes,
					    .name = p->name,
					    .other = p->alias,
					    .form = p->form,
					    .doc = p->doc,
					    .note = p->alias ? arena_printf(rows->arena,
									    "Short: %s", p->alias)
							     : NULL,
					    .example = p->example});
	}
}

static void add_plain(struct help_rows *rows, enum help_table table, const char *name,
		      const char *other, const char *form, const char *doc, const char *example)
{
	add(rows, (struct help_row){.table = table,
				    .name = name,
				    .other = other,
				    .form = form,
				    .doc = doc,
				    .example = example});
}

static void add_words(struct help_rows *rows)
{
#define STATEMENT(word, ...) add_plain(rows, HELP_words, word, NULL, __VA_ARGS__);
#include "parser/lang/statements.def"
}

static void add_types(struct help_rows *rows)
{
#define TYPE_WORD(...) add_plain(rows, HELP_types, __VA_ARGS__);
#include "parser/lang/type_words.def"
}

static void add_signs(struct help_rows *rows)
{
#define SIGN(...) add_plain(rows, HELP_signs, __VA_ARGS__);
#include "parser/lang/signs.def"
}

static void add_stacks(struct help_rows *rows)
{
	for (uint32_t i = 0; i < n_stack_words; i++) {
		const struct stack_word *w = &stack_words[i];

		add(rows,
		    (struct help_row){.table = HELP_stacks,
				      .name = w->word,
				      .form = w->word,
				      .doc = w->doc,
				      .note = w->stacks == STACKS_ALL ? NULL : "Only for ustack.",
				      .example = w->example});
	}
}

static void add_reasons(struct help_rows *rows)
{
	for (uint32_t i = 0; i < REASON_COUNT; i++)
		add(rows,
		    (struct help_row){.table = HELP_reasons,
				      .name = reasons[i].word,
				      .form = reasons[i].word,
				      .doc = reasons[i].doc,
				      .example = arena_printf(
					      rows->arena,
					      "tracepoint:sched:sched_switch /reason == \"%s\"/ { "
					      "@[comm, kstack] = sum(delta); }",
					      reasons[i].word)});
}

static void add_conversions(struct help_rows *rows)
{
	for (uint32_t i = 0; i < n_format_conversions; i++) {
		const struct format_conversion *c = &format_conversions[i];

		add(rows, (struct help_row){.table = HELP_conversions,
					    .name = arena_printf(rows->arena, "%%%s", c->letters),
					    .form = arena_printf(rows->arena, "%%%s", c->letters),
					    .doc = c->doc,
					    .example = c->example});
	}
}

static void add_config(struct help_rows *rows)
{
	struct arena *a = rows->arena;

	for (uint32_t i = 0; i < n_config_rows; i++) {
		const struct config_row *c = &config_rows[i];
		const char *first;

		if (c->kind > CONFIG_TEXT)
			continue;
		first = config_default_text(a, c);
		add(rows,
		    (struct help_row){.table = HELP_config,
				      .name = c->name,
				      .form = arena_printf(a, "%s = %s", c->name,
							   config_values(a, c)),
				      .doc = c->doc,
				      .note = *first ? arena_printf(a, "Default: %s", first) : NULL,
				      .example = c->example});
	}
}

static void add_commands(struct help_rows *rows)
{
	for (int i = 0; i < n_first_words; i++) {
		const struct first_word *w = &first_words[i];

		add(rows, (struct help_row){.table = HELP_commands,
					    .name = w->word,
					    .form = arena_printf(rows->arena, "sonde %s", w->usage),
					    .doc = w->doc,
					    .options = w->options,
					    .bit = w->bit & FW_OWN,
					    .example = w->example});
	}
}

static void add_options(struct help_rows *rows)
{
	for (int i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];

		if (option_is_listed(o, FW_ANY))
			add(rows, (struct help_row){.table = HELP_options,
						    .name = o->name,
						    .other = o->other,
						    .form = option_form(rows->arena, o),
						    .doc = o->help,
						    .example = o->example});
	}
}

static void add_formats(struct help_rows *rows)
{
	for (uint32_t i = 0; i < OUT_FORMAT_COUNT; i++) {
		const struct out_format_row *f = &out_formats[i];

		add(rows,
		    (struct help_row){.table = HELP_formats,
				      .name = f->name,
				      .form = f->word ? arena_printf(rows->arena, "-f %s[:%s]",
								     f->name, f->word)
						      : arena_printf(rows->arena, "-f %s", f->name),
				      .doc = f->doc,
				      .example = f->example});
	}
}

void help_rows_collect(struct arena *a, struct help_rows *out)
{
	*out = (struct help_rows){.arena = a};
#define HELP_TABLE(topic, ...) add_##topic(out);
#include "cli/help/help_tables.def"
}

const char *help_command(struct arena *a, const struct help_row *row)
{
	bool is_words =
		row->table == HELP_options || row->table == HELP_commands || *row->example == '-';

	return arena_printf(a, is_words ? "sonde %s" : "sonde -e '%s'", row->example);
}
