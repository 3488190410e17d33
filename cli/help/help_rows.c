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

const struct help_topic help_topics[] = {
#define HELP_TABLE(topic, ...) [HELP_##topic] = {#topic, __VA_ARGS__},
#include "cli/help/help_tables.def"
};
_Static_assert(sizeof(help_topics) / sizeof(*help_topics) == HELP_TABLE_COUNT, "one row each");

/* The row may be completed until the next is added. */
static struct help_row *add(struct help_rows *rows, enum help_table table, const char *name,
			    const char *other, const char *form, const char *doc,
			    const char *example)
{
	struct help_row row = {table, name, other, form, doc, .example = example};

	arena_push(rows->arena, rows->items, rows->n, row);
	return &rows->items[rows->n - 1];
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
	for (const struct builtin *b = builtins; b < builtins + BI_COUNT; b++)
		if (b->kind == kind)
			add(rows, table, b->name, NULL, b->signature, b->doc, b->example)->note =
				where_of(rows->arena, b);
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
		const char *at = standard_macros[i].text, *line = comment_line(a, &at);
		struct help_row *row =
			add(rows, HELP_macros, standard_macros[i].name, NULL, line, "", NULL);

		while ((line = comment_line(a, &at)))
			if (strncmp(line, mark, sizeof(mark) - 1) == 0)
				row->example = line + sizeof(mark) - 1;
			else
				row->doc =
					*row->doc ? arena_printf(a, "%s %s", row->doc, line) : line;
	}
}

static void add_probes(struct help_rows *rows)
{
	for (const struct probe_row *p = probe_rows; p < probe_rows + PROBE_COUNT; p++) {
		struct help_row *row =
			add(rows, HELP_probes, p->name, p->alias, p->form, p->doc, p->example);

		if (p->alias)
			row->note = arena_printf(rows->arena, "Short: %s", p->alias);
	}
}

static void add_words(struct help_rows *rows)
{
#define STATEMENT(word, ...) add(rows, HELP_words, word, NULL, __VA_ARGS__);
#include "parser/lang/statements.def"
}

static void add_types(struct help_rows *rows)
{
#define TYPE_WORD(...) add(rows, HELP_types, __VA_ARGS__);
#include "parser/lang/type_words.def"
}

static void add_signs(struct help_rows *rows)
{
#define SIGN(...) add(rows, HELP_signs, __VA_ARGS__);
#include "parser/lang/signs.def"
}

static void add_stacks(struct help_rows *rows)
{
	for (const struct stack_word *w = stack_words; w < stack_words + n_stack_words; w++)
		add(rows, HELP_stacks, w->word, NULL, w->word, w->doc, w->example)->note =
			w->stacks == STACKS_ALL ? NULL : "Only for ustack.";
}

static void add_reasons(struct help_rows *rows)
{
	for (const struct reason *r = reasons; r < reasons + REASON_COUNT; r++)
		add(rows, HELP_reasons, r->word, NULL, r->word, r->doc,
		    arena_printf(rows->arena,
				 "tracepoint:sched:sched_switch /reason == \"%s\"/ { "
				 "@[comm, kstack] = sum(delta); }",
				 r->word));
}

static void add_conversions(struct help_rows *rows)
{
	for (uint32_t i = 0; i < n_format_conversions; i++) {
		const struct format_conversion *c = &format_conversions[i];
		const char *form = arena_printf(rows->arena, "%%%s", c->letters);

		add(rows, HELP_conversions, form, NULL, form, c->doc, c->example);
	}
}

static void add_config(struct help_rows *rows)
{
	struct arena *a = rows->arena;

	for (const struct config_row *c = config_rows; c < config_rows + n_config_rows; c++) {
		const char *form, *first;

		if (c->kind > CONFIG_TEXT)
			continue;
		first = config_default_text(a, c);
		form = arena_printf(a, "%s = %s", c->name, config_values(a, c));
		add(rows, HELP_config, c->name, NULL, form, c->doc, c->example)->note =
			*first ? arena_printf(a, "Default: %s", first) : NULL;
	}
}

static void add_commands(struct help_rows *rows)
{
	for (const struct first_word *w = first_words; w < first_words + n_first_words; w++) {
		const char *form = arena_printf(rows->arena, "sonde %s", w->usage);
		struct help_row *row =
			add(rows, HELP_commands, w->word, NULL, form, w->doc, w->example);

		row->options = w->options;
		row->bit = w->bit & FW_OWN;
	}
}

static void add_options(struct help_rows *rows)
{
	for (const struct option_row *o = option_rows; o < option_rows + n_option_rows; o++)
		if (option_is_listed(o, FW_ANY))
			add(rows, HELP_options, o->name, o->other, option_form(rows->arena, o),
			    o->help, o->example);
}

static void add_formats(struct help_rows *rows)
{
	for (const struct out_format_row *f = out_formats; f < out_formats + OUT_FORMAT_COUNT; f++)
		add(rows, HELP_formats, f->name, NULL,
		    f->word ? arena_printf(rows->arena, "-f %s[:%s]", f->name, f->word)
			    : arena_printf(rows->arena, "-f %s", f->name),
		    f->doc, f->example);
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
