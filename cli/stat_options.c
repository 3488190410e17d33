/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words behind `sonde stat`: its options (stat_options.def), and the command.
 */
#include "cli/option_rows.h"
#include "cli/stat.h"
#include "parser/base/nearest.h"
#include "runtime/session/command.h"
#include <stdlib.h>
#include <string.h>

static int take_event(struct stat_run *r, const char *arg)
{
	return vec_push(&r->events, arg) ? option_error("out of memory") : 0;
}

static int take_command(struct stat_run *r, const char *arg)
{
	if (r->words)
		return option_error("-c is given twice");
	r->words = command_words(arg);
	if (r->words)
		return 0;
	if (!arg[strspn(arg, " \t\n")])
		return option_error("-c: the command is empty");
	return option_error("-c '%s': unclosed quote", arg);
}

static int take_pid(struct stat_run *r, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (*end || end == arg || *arg == '-' || !n || n > INT32_MAX)
		return option_error("invalid process ID '%s'", arg);
	r->pid = (uint32_t)n;
	return 0;
}

static int take_duration(struct stat_run *r, const char *arg)
{
	return option_time(arg, &r->duration_ns);
}

static int take_format(struct stat_run *r, const char *arg)
{
	r->json = strcmp(arg, "json") == 0;
	if (r->json || strcmp(arg, "text") == 0)
		return 0;
	return option_error("unknown format '%s' of 'sonde stat': expected text or json", arg);
}

static int take_output(struct stat_run *r, const char *arg)
{
	r->output = arg;
	return 0;
}

static int take_help(struct stat_run *r, const char *arg)
{
	(void)arg;
	r->help = true;
	return 0;
}

static const struct stat_option {
	const char *name, *other, *arg;
	int (*take)(struct stat_run *r, const char *arg);
	const char *help;
} rows[] = {
#define STAT_OPTION(name, other, arg, hook, help) {name, other, arg, take_##hook, help},
#include "cli/stat_options.def"
#undef STAT_OPTION
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

static bool is_spelled(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && memcmp(name, word, len) == 0;
}

static const struct stat_option *find_option(const char *word, size_t len)
{
	for (int i = 0; i < ROWS; i++)
		if (is_spelled(rows[i].name, word, len) || is_spelled(rows[i].other, word, len))
			return &rows[i];
	return NULL;
}

static int unknown_option(const char *word)
{
	struct nearest near;

	nearest_init(&near, word);
	for (int i = 0; i < ROWS; i++) {
		if (rows[i].name)
			nearest_offer(&near, rows[i].name);
		nearest_offer(&near, rows[i].other);
	}
	log_error("unknown option '%s' of 'sonde stat'", word);
	if (near.best)
		fprintf(stderr, "hint: did you mean '%s'?\n", near.best);
	else
		fputs("hint: 'sonde stat --help' lists the options\n", stderr);
	return -1;
}

static int take_option(struct stat_run *r, const struct options *o, uint32_t *i)
{
	const char *word = o->params[*i], *equals = strchr(word, '=');
	size_t len = word[1] == '-' && equals ? (size_t)(equals - word) : strlen(word);
	const struct stat_option *row = find_option(word, len);
	const char *arg = len < strlen(word) ? equals + 1 : NULL;

	if (!row && word[1] != '-' && len > 2) { /* -fjson */
		row = find_option(word, 2);
		arg = word + 2;
	}
	if (!row)
		return unknown_option(word);
	if (!row->arg && arg)
		return option_error("option '%s' takes no value", row->other);
	if (row->arg && !arg && *i + 1 >= o->n_params)
		return option_error("option '%s' requires a value", row->name ?: row->other);
	if (row->arg && !arg)
		arg = o->params[++*i];
	return row->take(r, arg);
}

/* The words from `first` on are the command. */
static int take_words(struct stat_run *r, const struct options *o, uint32_t first)
{
	uint32_t n = o->n_params - first;

	if (!n)
		return 0;
	if (r->words)
		return option_error("-c and a command behind -- cannot be combined");
	r->words = calloc(n + 1, sizeof(*r->words));
	for (uint32_t i = 0; r->words && i < n; i++) {
		r->words[i] = strdup(o->params[first + i]);
		if (!r->words[i])
			return option_error("out of memory");
	}
	return r->words ? 0 : option_error("out of memory");
}

int stat_read_words(struct stat_run *r, const struct options *o)
{
	uint32_t i = 0;

	for (; i < o->n_params && o->params[i][0] == '-' && o->params[i][1]; i++) {
		if (strcmp(o->params[i], "--") == 0) {
			i++;
			break;
		}
		if (take_option(r, o, &i))
			return -1;
	}
	if (take_words(r, o, i))
		return -1;
	if (r->help)
		return 0;
	if (r->words && r->pid)
		return option_error("a command and -p cannot be combined");
	if (!r->words && !r->pid)
		return option_error("nothing to count: write 'sonde stat -- COMMAND' or "
				    "'sonde stat -p PID'");
	return 0;
}

void stat_help(void)
{
	puts("usage: sonde stat [options] [--] COMMAND [WORD…]\n"
	     "       sonde stat [options] -p PID\n\n"
	     "Runs a command and prints how many events the kernel and the processor counted "
	     "meanwhile.\nWithout -e these are the usual ones. The exit status is that of the "
	     "command.\n\noptions:");
	for (int i = 0; i < ROWS; i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%s%s%s%s", rows[i].name ?: "",
			 rows[i].name ? ", " : "", rows[i].other, rows[i].arg ? " " : "",
			 rows[i].arg ?: "");
		printf("  %-26s %s\n", left, rows[i].help);
	}
}
