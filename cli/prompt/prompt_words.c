/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the words of the prompt do.
 */
#include "cli/prompt/prompt.h"
#include "runtime/base/create_file.h"
#include "cli/base/help_columns.h"
#include "cli/base/printing.h"
#include "cli/help/help.h"
#include "cli/scripts/scripts.h"
#include "cli/prompt/typed.h"
#include "runtime/base/log.h"
#include "runtime/list/list.h"
#include "runtime/run/command.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define PROMPT_WORD(word, form, follows, hook, help) \
	static void say_##hook(struct prompt *p, const char *rest);
#include "cli/prompt/prompt_words.def"

const struct prompt_word prompt_words[] = {
#define PROMPT_WORD(word, form, follows, hook, help) \
	{word, form, help, PROMPT_##follows, say_##hook},
#include "cli/prompt/prompt_words.def"
};
const uint32_t n_prompt_words = sizeof(prompt_words) / sizeof(*prompt_words);

void prompt_unknown(const struct prompt *p, const char *line)
{
	const char *rest, *word = typed_word(p->a, line, &rest);
	char path[PATH_MAX];

	if (scripts_find(word, path, sizeof(path)) != 0) {
		typed_unknown(p, line);
		return;
	}
	log_error("'%s' is a bundled script", word);
	log_hint("'run %s' runs it", word);
}

/* ---- words about the language and the kernel ----------------------------------------------- */

static void print_words(void)
{
	struct arena *a = arena_new();

	puts("Type a program, as after 'sonde -e'; an unfinished line continues on the next,\n"
	     "and an empty line ends it. Or options, as after 'sonde'. Tab completes.\n");
	for (uint32_t i = 0; i < n_prompt_words; i++)
		help_columns(arena_join(a, prompt_words[i].word, " ", prompt_words[i].form), 22,
			     prompt_words[i].help);
	arena_free(a);
}

/* Of a probe that is named in full, its arguments, too. */
static void say_help(struct prompt *p, const char *rest)
{
	printing_page();
	if (!*rest)
		print_words();
	else if (!help_print(rest))
		help_unknown(rest, scripts_each);
	else if (strchr(rest, ':'))
		list_probes(p->kernel, rest, true, stdout);
}

static void say_list(struct prompt *p, const char *rest)
{
	bool fields = strncmp(rest, "-v", 2) == 0 && (!rest[2] || rest[2] == ' ');

	if (fields)
		rest += 2 + strspn(rest + 2, " ");
	list_probes(p->kernel, *rest ? rest : NULL, fields, stdout);
}

static void say_run(struct prompt *p, const char *rest)
{
	char **list = command_words(rest);
	uint32_t n = 0;

	while (list && list[n])
		n++;
	if (n)
		prompt_start(p, (const char *const *)list, n);
	else
		log_error(*rest ? "a quote is not closed" : "run requires a script: 'run NAME'");
	command_free_words(list);
}

/* The last program, or, if the words are no stages, what they name. */
static void say_explain(struct prompt *p, const char *rest)
{
	const char *stages = "", *all[] = {"explain", "-e", p->program, "--stage", NULL};
	char **list = *rest ? command_words(rest) : NULL;
	bool are_others = *rest && (!list || *list[0] == '-');

	for (uint32_t i = 0; list && list[i] && !are_others; i++)
		stages = arena_printf(p->a, "%s%s%s", stages, i ? "," : "", list[i]);
	command_free_words(list);
	if (are_others) {
		say_run(p, arena_printf(p->a, "explain %s", rest));
		return;
	}
	if (!p->program) {
		log_error("there is no program to explain: type one first");
		return;
	}
	all[4] = stages;
	prompt_start(p, all, *stages ? 5 : 3);
}

/* ---- options ------------------------------------------------------------------------------- */

/* Would sonde take these words? It reports what is wrong. */
static bool are_options(struct prompt *p)
{
	char *all[PROMPT_MAX_SET + 4] = {"sonde"};
	struct options o;
	int n = 1, err;

	for (uint32_t i = 0; i < p->n_set; i++)
		all[n++] = arena_strdup(p->a, p->set[i]);
	all[n++] = "-e";
	all[n++] = "BEGIN { }";
	err = options_parse(&o, n, all);
	if (!err && o.mode != MODE_TRACE) {
		log_error("%s is no option of a run", p->set[p->n_set - 1]);
		err = -1;
	}
	options_free(&o);
	return !err;
}

static void say_set(struct prompt *p, const char *rest)
{
	char **list = *rest ? command_words(rest) : NULL;
	uint32_t before = p->n_set;

	for (uint32_t i = 0; !*rest && i < p->n_set; i++)
		printf("%s%s", p->set[i], i + 1 == p->n_set ? "\n" : " ");
	if (!*rest)
		return;
	if (!list || list[0][0] != '-') {
		log_error("set requires an option, such as 'set -p 123' or 'set --top 5'");
		command_free_words(list);
		return;
	}
	for (char **w = list; *w && p->n_set < PROMPT_MAX_SET; w++)
		p->set[p->n_set++] = arena_strdup(p->a, *w);
	if (!are_options(p))
		p->n_set = before;
	command_free_words(list);
}

/* An option ends where the next one begins. */
static void say_unset(struct prompt *p, const char *rest)
{
	uint32_t n = 0;
	bool found = false, skips = false;

	for (uint32_t i = 0; i < p->n_set; i++) {
		if (p->set[i][0] == '-')
			skips = strcmp(p->set[i], rest) == 0;
		found |= skips;
		if (!skips)
			p->set[n++] = p->set[i];
	}
	p->n_set = n;
	if (!found)
		log_error("'%s' is not set; 'set' prints what is", rest);
}

/* ---- maps ---------------------------------------------------------------------------------- */

static int copy_field(char *to, size_t size, const char *what, const char *word)
{
	if (!*word)
		return log_error("'%s' requires a word behind it", what);
	if (snprintf(to, size, "%s", word) < (int)size)
		return 0;
	return log_error("'%s' is too long", word);
}

static int take_top(struct prompt_request *r, const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (!isdigit((unsigned char)*word) || *end || !n || n > UINT32_MAX)
		return log_error("'top' requires a number of rows, such as 'top 5'");
	r->top = (uint32_t)n;
	return 0;
}

static int take_format(struct prompt_request *r, const char *word)
{
	const char *of_format;

	r->format = out_format_find(word, &of_format);
	if (r->format >= OUT_FORMAT_COUNT || r->format == OUT_RECORDING || r->format == OUT_LIVE)
		return log_error(
			"maps are not printed as '%s': text, bars, json, folded, flamegraph …",
			word);
	return of_format ? copy_field(r->word, sizeof(r->word), "as", of_format) : 0;
}

static int take_clause(struct prompt_request *r, const char *word, const char *value)
{
	if (strcmp(word, "top") == 0)
		return take_top(r, value);
	if (strcmp(word, "has") == 0)
		return copy_field(r->has, sizeof(r->has), word, value);
	if (strcmp(word, "to") == 0)
		return copy_field(r->path, sizeof(r->path), word, value);
	if (strcmp(word, "as") == 0)
		return take_format(r, value);
	return log_error("unexpected '%s': print [@MAP] [top N] [has TEXT] [as FORMAT] [to FILE]",
			 word);
}

static int read_request(struct prompt_request *r, const char *rest)
{
	char **list = *rest ? command_words(rest) : NULL;
	int err = *rest && !list ? -1 : 0;

	if (err)
		log_error("a quote is not closed");
	for (uint32_t i = 0; list && list[i] && !err; i++) {
		const char *value = list[i + 1] ?: "";

		if (list[i][0] == '@') {
			err = copy_field(r->map, sizeof(r->map), "print", list[i]);
			continue;
		}
		err = take_clause(r, list[i], value);
		i += *value != '\0';
	}
	command_free_words(list);
	return err;
}

static void ask(struct prompt *p, const struct prompt_request *r)
{
	struct prompt_reply reply;

	if (p->child.pid <= 0)
		log_error("there are no maps: run a program first");
	else if (prompt_ask(p, r, &reply) && !reply.n_maps && !reply.status)
		log_error(r->map[0] ? "the last run has no map %s; 'maps' lists them"
				    : "the last run has no maps",
			  r->map);
}

static void print_maps(struct prompt *p, const char *rest, enum out_format format)
{
	struct prompt_request r = {.what = PROMPT_PRINT, .format = format};

	if (read_request(&r, rest) == 0)
		ask(p, &r);
}

static void say_print(struct prompt *p, const char *rest)
{
	print_maps(p, rest, OUT_TEXT);
}

static void say_plot(struct prompt *p, const char *rest)
{
	print_maps(p, rest, OUT_BARS);
}

static void say_maps(struct prompt *p, const char *rest)
{
	struct prompt_request r = {.what = PROMPT_LIST_MAPS};

	ask(p, &r);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void say_save(struct prompt *p, const char *rest)
{
	int fd, err;
	FILE *f;

	if (!*rest || !p->program) {
		log_error(*rest ? "there is no program to save: type one first"
				: "save requires the name of a file");
		return;
	}
	fd = create_file(rest, true);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	err = f ? 0 : fd < 0 ? -fd : errno;
	if (f && (fprintf(f, "%s\n", p->program) < 0 || fclose(f)))
		err = errno;
	if (err == EEXIST)
		log_error("'%s' exists: choose another name", rest);
	else if (err)
		log_error("cannot write '%s': %s", rest, strerror(err));
}

static void say_quit(struct prompt *p, const char *rest)
{
	p->done = true;
}
