/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See option_rows.h.
 */
#include "cli/options/option_rows.h"
#include <stdlib.h>

enum { PIDS_MOST = 4194304 };

int pid_option_hint_several(void)
{
	return log_hint("-p takes one PID; --cgroup PATH traces several processes, and so does a "
			"condition: /pid == 5 || pid == 7/");
}

static int refuse(const char *arg)
{
	if (!*arg) {
		log_error("-p (--pid) has an empty value");
		return log_hint("if a $(…) is there, it has printed nothing: no such process runs; "
				"'pgrep -l NAME' finds those that do");
	}
	log_error("invalid process ID '%s'", arg);
	if (*arg == '`' || *arg == '$')
		return log_hint("single quotes keep the shell from running it: write "
				"-p $(pgrep -o NAME)");
	if (strpbrk(arg, ", \n"))
		return pid_option_hint_several();
	if (arg[strcspn(arg, " \"'$`\\;|&()<>")])
		arg = "NAME";
	return log_hint(
		"write its number, or -p $(pgrep -o %s) for the oldest of that name; a condition "
		"chooses all: /comm == \"%s\"/",
		arg, arg);
}

int set_pid(struct options *o, const struct option_row *row, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (o->scope.pid)
		return log_error("-p is given twice: give one PID, or --cgroup for several");
	if (*end || end == arg || *arg == '-' || n == 0)
		return refuse(arg);
	if (n > PIDS_MOST)
		return option_error("process ID %s is out of range: the highest is %d", arg,
				    PIDS_MOST);
	o->scope.pid = (uint32_t)n;
	return 0;
}
