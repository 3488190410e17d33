/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the options and the words after `sonde stat` ask for.
 */
#include "cli/options/option_error.h"
#include "cli/stat/stat.h"
#include "runtime/run/command.h"
#include <stdlib.h>
#include <string.h>

static int take_format(struct stat_run *r, const char *arg)
{
	r->json = arg && strcmp(arg, "json") == 0;
	if (!arg || r->json || strcmp(arg, "text") == 0)
		return 0;
	return option_error("unknown format '%s' of 'sonde stat': expected text or json", arg);
}

static int take_command(struct stat_run *r, const struct options *o)
{
	const char *arg = o->args.command;

	if (!arg)
		return 0;
	if (o->args.n_params)
		return option_error("-c and a command behind -- cannot be combined");
	r->words = command_words(arg);
	if (r->words)
		return 0;
	if (!arg[strspn(arg, " \t\n")])
		return option_error("-c: the command is empty");
	return option_error("-c '%s': unclosed quote", arg);
}

static int take_words(struct stat_run *r, const struct options *o)
{
	if (!o->args.n_params)
		return 0;
	r->words = calloc(o->args.n_params + 1, sizeof(*r->words));
	for (uint32_t i = 0; r->words && i < o->args.n_params; i++) {
		r->words[i] = strdup(o->args.params[i]);
		if (!r->words[i])
			return option_error("out of memory");
	}
	return r->words ? 0 : option_error("out of memory");
}

int stat_take_options(struct stat_run *r, const struct options *o)
{
	r->pid = o->scope.pid;
	r->duration_ns = o->duration_ns;
	r->output = o->out.path;
	r->events = o->stat.events;
	r->n_events = o->stat.n_events;
	if (take_format(r, o->stat.format) || take_command(r, o) || take_words(r, o))
		return -1;
	if (r->words && r->pid)
		return option_error("a command and -p cannot be combined");
	if (!r->words && !r->pid)
		return option_error("nothing to count: write 'sonde stat -- COMMAND' or "
				    "'sonde stat -p PID'");
	return 0;
}
