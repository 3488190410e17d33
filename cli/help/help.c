/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks words up in the rows of all tables (help_rows.h) and prints them.
 */
#include "cli/help/help.h"
#include "cli/base/help_columns.h"
#include "cli/help/help_rows.h"
#include "cli/options/option_rows.h"
#include "parser/base/arena.h"
#include "parser/base/nearest.h"
#include "runtime/base/log.h"
#include <strings.h>

enum { INDENT = 2, WIDTH = 78, MOST_NEAR = 6 };

/* ---- printing ------------------------------------------------------------------------------ */

/* The next character of a text in Markdown: of a link only its text is shown. */
static const char *skip_link(const char *text)
{
	const char *end = strncmp(text, "](", 2) == 0 ? strchr(text, ')') : NULL;

	return end ? end + 1 : *text == '[' && strstr(text, "](#") ? text + 1 : text;
}

/* The text without the addresses of links. */
static const char *plain_text(struct arena *a, const char *text)
{
	char *plain = arena_strndup(a, text, strlen(text)), *to = plain;

	while (*(text = skip_link(text)))
		*to++ = *text++;
	*to = '\0';
	return plain;
}

/* The text in lines of at most WIDTH columns, indented. */
static void print_wrapped(struct arena *a, const char *text)
{
	printf("%*s", INDENT, "");
	help_wrap(plain_text(a, text), INDENT, WIDTH - INDENT);
}

/* The options of a command. */
static void print_options(struct arena *a, const char *names)
{
	size_t len;

	for (; *names; names += len + strspn(names + len, " ")) {
		const struct option_row *row;

		len = strcspn(names, " ");
		row = option_find(FW_ANY, names, len);
		help_columns(option_form(a, row), 24, row->help);
	}
	puts("'sonde --help' lists all options.\n");
}

static void print_command(struct arena *a, const struct help_row *row)
{
	printf("usage: %s\n\n", row->form);
	help_wrap(row->doc, 0, WIDTH);
	putchar('\n');
	if (row->options || row->bit)
		puts("options:");
	if (row->options)
		print_options(a, row->options);
	else if (row->bit)
		options_print(a, row->bit);
	printf("%sexample:\n  %s\n", !row->options && row->bit ? "\n" : "", help_command(a, row));
}

static void print_row(struct arena *a, const struct help_row *row)
{
	if (row->table == HELP_commands) {
		print_command(a, row);
		return;
	}
	printf("%s (%s)\n\n  %s\n\n", row->name, help_topics[row->table].kind, row->form);
	print_wrapped(a, row->doc);
	if (row->note)
		print_wrapped(a, row->note);
	printf("\n  %s\n", help_command(a, row));
}

static void print_table(const struct help_rows *rows, enum help_table table)
{
	printf("%s:\n", help_topics[table].title);
	if (*help_topics[table].intro)
		print_wrapped(rows->arena, help_topics[table].intro);
	for (uint32_t i = 0; i < rows->n; i++) {
		const struct help_row *row = &rows->items[i];
		const char *doc = plain_text(rows->arena, row->doc);

		if (row->table == table)
			help_columns(row->form, 32,
				     row->note ? arena_printf(rows->arena, "%s %s", doc, row->note)
					       : doc);
	}
}

static void print_examples(const struct help_rows *rows)
{
	for (uint32_t i = 0; i < rows->n; i++)
		printf("%s %s\t%s\n", help_topics[rows->items[i].table].name, rows->items[i].name,
		       help_command(rows->arena, &rows->items[i]));
}

/* ---- topics -------------------------------------------------------------------------------- */

static void print_rows(const struct help_rows *rows)
{
	rows_print();
}

static void print_usage(const struct help_rows *rows)
{
	options_forms();
}

static void print_topics(const struct help_rows *rows);
static const char wider_topic[] = "builtins";
static const struct {
	const char *name, *what;
	void (*print)(const struct help_rows *rows);
} other_topics[] = {
	{"topics", "these topics", print_topics},
	{"usage", "forms of the command line, and the exit status", print_usage},
	{"reference", "all tables, in Markdown", reference_markdown},
	{"examples", "the example of each row", print_examples},
	{"rows", "all rows for programs, with tabs between their columns", print_rows},
};
enum { N_OTHER_TOPICS = sizeof(other_topics) / sizeof(*other_topics) };

static void print_topics(const struct help_rows *rows)
{
	fputs("'sonde help WORD' describes a first word, builtin, function, aggregation, probe\n"
	      "type, option …, with an example:\n"
	      "  sonde help hist\n  sonde help kprobe\n  sonde help --top\n  sonde help record\n\n"
	      "topics of 'sonde help':\n",
	      stdout);
	printf("  %-14s %s\n", wider_topic, "variables, functions, aggregations and macros");
	for (int i = 0; i < HELP_TABLE_COUNT; i++)
		printf("  %-14s %s\n", help_topics[i].name, help_topics[i].what);
	for (int i = 0; i < N_OTHER_TOPICS; i++)
		printf("  %-14s %s\n", other_topics[i].name, other_topics[i].what);
}

const char *help_topic(uint32_t i)
{
	if (i == 0)
		return wider_topic;
	if (i <= HELP_TABLE_COUNT)
		return help_topics[i - 1].name;
	i -= HELP_TABLE_COUNT + 1;
	return i < N_OTHER_TOPICS ? other_topics[i].name : NULL;
}

static bool print_topic(const struct help_rows *rows, const char *word)
{
	bool is_found = false;

	for (int i = 0; i < HELP_TABLE_COUNT; i++) {
		if (strcmp(help_topics[i].name, word) != 0 &&
		    strcmp(help_topics[i].wider, word) != 0)
			continue;
		if (is_found)
			putchar('\n');
		print_table(rows, (enum help_table)i);
		is_found = true;
	}
	for (int i = 0; i < N_OTHER_TOPICS && !is_found; i++)
		if (strcmp(other_topics[i].name, word) == 0)
			return other_topics[i].print(rows), true;
	return is_found;
}

/* ---- words --------------------------------------------------------------------------------- */

/* The word, in any case if it is longer than -f and %x; of a long option also without dashes. */
static bool is_spelled(const char *name, size_t name_len, const char *word, size_t len)
{
	if (name_len > 3 && strncmp(name, "--", 2) == 0 && *word != '-')
		name += 2, name_len -= 2;
	return name_len == len && strncasecmp(name, word, len) == 0 &&
	       (len > 2 || strncmp(name, word, len) == 0);
}

/* Is it the row's name, or one of its other names? */
static bool is_named(const struct help_row *row, const char *word, size_t len)
{
	if (is_spelled(row->name, strlen(row->name), word, len))
		return true;
	for (const char *other = row->other; other && *other;) {
		size_t n = strcspn(other, " ");

		if (is_spelled(other, n, word, len))
			return true;
		other += n + (other[n] == ' ');
	}
	return false;
}

/* "hist()" and "kprobe:vfs_read" are asked for as well as "hist" and "kprobe", "args.ret" as
 * "args", and "@x" as "@". */
static size_t name_length(const char *word)
{
	size_t n = *word == '@' || *word == '$' ? 1 : strcspn(word, ":(=. ");

	return n ? n : strlen(word);
}

bool help_print(const char *word)
{
	struct arena *a = arena_new();
	struct help_rows rows;
	size_t len = name_length(word);
	bool is_found = false, is_topic;

	help_rows_collect(a, &rows);
	is_topic = print_topic(&rows, word);
	for (uint32_t i = 0; i < rows.n; i++) {
		if (!is_named(&rows.items[i], word, len))
			continue;
		if (is_found || is_topic)
			putchar('\n');
		print_row(a, &rows.items[i]);
		is_found = true;
	}
	arena_free(a);
	return is_found || is_topic;
}

void help_print_command(const char *word)
{
	struct arena *a = arena_new();
	struct help_rows rows;

	help_rows_collect(a, &rows);
	for (uint32_t i = 0; i < rows.n; i++)
		if (rows.items[i].table == HELP_commands && strcmp(rows.items[i].name, word) == 0)
			print_command(a, &rows.items[i]);
	arena_free(a);
}

static bool contains_word(const char *text, const char *word)
{
	return strlen(word) > 2 && strcasestr(text, word);
}

/* Up to MOST_NEAR names whose rows mention the word. */
static void print_mentions(const struct help_rows *rows, const char *word)
{
	int n = 0;

	for (int in_doc = 0; in_doc < 2; in_doc++)
		for (uint32_t i = 0; i < rows->n && n < MOST_NEAR; i++) {
			const struct help_row *row = &rows->items[i];

			if (contains_word(row->name, word) == in_doc ||
			    (in_doc && !contains_word(row->doc, word)))
				continue;
			fprintf(stderr, "%s%s", n++ ? ", " : "hint: these mention it: ", row->name);
		}
	if (n)
		fputc('\n', stderr);
}

static void offer_script(void *near, const char *name)
{
	nearest_offer(near, name);
}

void help_unknown(const char *word, help_names *scripts)
{
	struct arena *a = arena_new();
	struct help_rows rows;
	struct nearest near;

	help_rows_collect(a, &rows);
	nearest_init(&near, word);
	for (uint32_t i = 0; i < rows.n; i++)
		nearest_offer(&near, rows.items[i].name);
	for (int i = 0; i < HELP_TABLE_COUNT; i++)
		nearest_offer(&near, help_topics[i].name);
	near.arena = a;
	scripts(offer_script, &near);
	log_error("no help on '%s'", word);
	if (near.best)
		log_hint("did you mean '%s'?", near.best);
	print_mentions(&rows, word);
	log_hint("'sonde help' lists the topics, 'sonde -lv %s' probes of that name", word);
	arena_free(a);
}
