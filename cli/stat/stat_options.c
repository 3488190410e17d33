/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words behind `sonde stat`: its options (stat_options.def), and the command.
 */
#include "cli/options/option_rows.h"
#include "cli/options/pid_option.h"
#include "cli/options/time_option.h"
#include "cli/stat/stat.h"
#include "cli/options/word_options.h"
#include "runtime/run/command.h"
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
	return pid_option_read(arg, &r->pid);
}

static int take_duration(struct stat_run *r, const char *arg)
{
	return option_time("--duration", arg, &r->duration_ns);
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

static const struct word_option rows[] = {
#define STAT_OPTION(name, other, arg, hook, help) {name, other, arg, help},
#include "cli/stat/stat_options.def"
#undef STAT_OPTION
};
static int (*const hooks[])(struct stat_run *r, const char *arg) = {
#define STAT_OPTION(name, other, arg, hook, help) take_##hook,
#include "cli/stat/stat_options.def"
#undef STAT_OPTION
};
static const struct word_options words = {"stat", rows, sizeof(rows) / sizeof(*rows), 26};

static int take_option(struct stat_run *r, const struct options *o, uint32_t *i)
{
	const char *arg;
	int row = word_options_read(&words, o, i, &arg);

	return row < 0 ? -1 : hooks[row](r, arg);
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
	word_options_print(&words);
}
