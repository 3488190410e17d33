/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the tables of the language. Nothing here knows a builtin or a probe type by name.
 */
#include "cli/reference.h"
#include "cli/rows.h"
#include "parser/base/arena.h"
#include "parser/expand/standard.h"
#include "parser/lang/builtin.h"
#include "parser/lang/config.h"
#include "parser/lang/capability.h"
#include "parser/lang/probe.h"
#include "parser/lang/stack_word.h"
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
	[BUILTIN_VAR] = "builtin",
	[BUILTIN_FN] = "function",
	[BUILTIN_AGG] = "aggregation",
};

static void list_where(const struct builtin *b)
{
	const char *comma = "";

	if (b->where == W_ANY)
		return;
	printf(" [");
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (builtin_exists_in(b, i)) {
			printf("%s%s", comma, probe_rows[i].name);
			comma = ", ";
		}
	printf("]");
}

/* A line of the comment at the start of a macro's text, without its "//"; NULL after the last. */
static const char *comment_line(const char **at, int *len)
{
	const char *line = *at + 3, *end = strchr(*at, '\n');

	if (strncmp(*at, "// ", 3) != 0 || !end)
		return NULL;
	*len = (int)(end - line);
	*at = end + 1;
	return line;
}

/* Its first line is the usage, the others say what it does. */
static void print_macro(const struct standard_macro *m, bool is_table)
{
	const char *at = m->text, *line;
	int len = 0;

	line = comment_line(&at, &len);
	printf(is_table ? "| `%.*s` |" : "  %-32.*s", len, line);
	while ((line = comment_line(&at, &len)))
		printf(" %.*s", len, line);
	printf(is_table ? " |\n" : "\n");
}

static void help_builtins(void)
{
	for (int kind = BUILTIN_VAR; kind <= BUILTIN_AGG; kind++) {
		printf("%s%ss:\n", kind == BUILTIN_VAR ? "" : "\n", kinds[kind]);
		for (uint32_t i = 0; i < BI_COUNT; i++) {
			if ((int)builtins[i].kind != kind)
				continue;
			printf("  %-32s %s", builtins[i].signature, builtins[i].doc);
			list_where(&builtins[i]);
			printf("\n");
		}
	}
	printf("\nstandard macros:\n");
	for (uint32_t i = 0; i < n_standard_macros; i++)
		print_macro(&standard_macros[i], false);
}

static void help_probes(void)
{
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		printf("  %-28s %s", probe_rows[i].form, probe_rows[i].doc);
		if (probe_rows[i].alias)
			printf(" Short: %s", probe_rows[i].alias);
		printf("\n");
	}
}

/* Each implemented option: a row of a Markdown table, or a line. */
static void each_option(bool is_table)
{
	struct arena *a = arena_new();

	for (uint32_t i = 0; i < n_config_rows; i++) {
		const struct config_row *row = &config_rows[i];
		const char *values = "true, false";

		if (row->kind > CONFIG_TEXT)
			continue;
		if (row->kind == CONFIG_WORD)
			values = config_word_list(a, row);
		else if (row->kind == CONFIG_TEXT)
			values = "a string";
		else if (row->kind == CONFIG_INT)
			values = arena_printf(a, "%llu to %llu", (unsigned long long)row->least,
					      (unsigned long long)row->most);
		if (is_table)
			printf("| `%s` | `%s` | `%s` | %s |\n", row->name, values,
			       config_default_text(a, row), row->doc);
		else
			printf("  %-20s %s (%s): %s\n", row->name, values,
			       config_default_text(a, row), row->doc);
	}
	arena_free(a);
}

static void help_config(void)
{
	printf("config = { key = value; … } before the probes, or SONDE_KEY in the environment:\n");
	each_option(false);
}

static void reference_config(void)
{
	printf("\n## Options of a script\n\nWritten before the probes, `config = { key = value; … }`; "
	       "`SONDE_MAX_STRLEN=100` in the environment wins over\nthe script. Names may be in any "
	       "case and begin with `bpftrace_`.\n\n"
	       "| option | values | default | meaning |\n|---|---|---|---|\n");
	each_option(true);
}

static void reference_builtins(void)
{
	static const char *const titles[] = {[BUILTIN_VAR] = "Builtins",
					     [BUILTIN_FN] = "Functions",
					     [BUILTIN_AGG] = "Aggregations"};

	for (int kind = BUILTIN_VAR; kind <= BUILTIN_AGG; kind++) {
		printf("\n## %s\n\n| signature | probes | meaning |\n|---|---|---|\n",
		       titles[kind]);
		for (uint32_t i = 0; i < BI_COUNT; i++) {
			if ((int)builtins[i].kind != kind)
				continue;
			printf("| `%s` |", builtins[i].signature);
			if (builtins[i].where == W_ANY)
				printf(" all");
			else
				list_where(&builtins[i]);
			printf(" | %s |\n", builtins[i].doc);
		}
		if (kind == BUILTIN_FN) /* a word of the grammar, so no row of the table */
			printf("| `uint64 sizeof(TYPE)`, `uint64 sizeof(value)` | all | Bytes of a type, "
			       "such as `int32[4]`, or of a value's: a number known before tracing. |\n");
	}
}

static void reference_macros(void)
{
	printf("\n## Standard macros\n\nWritten in the language, in `stdlib_scripts/macros/`. A macro "
	       "of the script with the same name and parameters\ntakes its place in the script.\n\n"
	       "| usage | meaning |\n|---|---|\n");
	for (uint32_t i = 0; i < n_standard_macros; i++)
		print_macro(&standard_macros[i], true);
}

static void reference_stacks(void)
{
	printf("\n## Words of stacks\n\nIn the parentheses of `kstack` and `ustack`, in any order and beside "
	       "a number of frames: `ustack(perf, 5)`. At most one\nsays how frames are written, and one "
	       "how they are found.\n\n| word | of | what it decides | meaning |\n|---|---|---|---|\n");
	for (uint32_t i = 0; i < n_stack_words; i++)
		printf("| `%s` | %s | %s | %s |\n", stack_words[i].word,
		       stack_words[i].stacks != STACKS_ALL ? "`ustack`" : "`kstack`, `ustack`",
		       stack_words[i].is_walk ? "how frames are found" : "how frames are written",
		       stack_words[i].doc);
}

static void reference_needs(void)
{
	printf("\n## What a kernel may lack\n\n`sonde --info` says which of these this kernel has; "
	       "[kernel-matrix.md](kernel-matrix.md) which probe types\nwere tested where.\n\n"
	       "| what | brought by | since | for |\n|---|---|---|---|\n");
	for (int i = 0; i < CAP_COUNT; i++)
		printf("| %s | %s | %s | %s |\n", capability_rows[i].name, capability_rows[i].from,
		       capability_rows[i].since, capability_rows[i].purpose);
}

static void reference_markdown(void)
{
	printf("# Reference\n\nGenerated by `sonde --help reference` from the tables "
	       "`parser/lang/probes.def`, `parser/lang/builtins.def`,\n`parser/lang/stack_words.def` and `parser/lang/config.def`; do not edit.\n\n"
	       "## Probes\n\n| form | short | meaning |\n|---|---|---|\n");
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		printf("| `%s` | %s%s%s | %s |\n", probe_rows[i].form,
		       probe_rows[i].alias ? "`" : "",
		       probe_rows[i].alias ? probe_rows[i].alias : "",
		       probe_rows[i].alias ? "`" : "", probe_rows[i].doc);
	reference_builtins();
	reference_macros();
	reference_stacks();
	reference_config();
	reference_needs();
}

static const struct {
	const char *name;
	void (*print)(void);
} topics[] = {
	{"builtins", help_builtins},	   {"probes", help_probes}, {"config", help_config},
	{"reference", reference_markdown}, {"rows", rows_print},
};

const char *reference_topic(uint32_t i)
{
	return i < sizeof(topics) / sizeof(*topics) ? topics[i].name : NULL;
}

int reference_help(const char *topic)
{
	for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++)
		if (strcmp(topics[i].name, topic) == 0) {
			topics[i].print();
			return 0;
		}
	fprintf(stderr,
		"sonde: error: no help on '%s'\nhint: topics are builtins, probes, config, reference, rows\n",
		topic);
	return 1;
}

static void list_builtin(const struct builtin *b, bool in_full)
{
	printf("%s%c%s", kinds[b->kind], in_full ? '\t' : ' ', b->name);
	if (in_full)
		printf("\t%s\t%s", b->signature, b->doc);
	putchar('\n');
}

static void list_probe(const struct probe_row *r, bool in_full)
{
	if (in_full)
		printf("probe\t%s\t%s\t%s\t%s\n", r->name, r->form, r->alias ?: "-", r->doc);
	else
		printf("probe %s\n", r->name);
}

void reference_list_rows(bool in_full)
{
	for (uint32_t i = 0; i < BI_COUNT; i++)
		list_builtin(&builtins[i], in_full);
	for (uint32_t i = 0; i < n_standard_macros; i++)
		printf(in_full ? "macro\t%s\n" : "macro %s\n", standard_macros[i].name);
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		list_probe(&probe_rows[i], in_full);
}
