/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See run_title.h.
 */
#define _GNU_SOURCE
#include "runtime/output/run_title.h"
#include "parser/base/escape.h"
#include "parser/lang/trace_scope.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_BYTES = 150 }; /* of a script that is shown */

char *run_subject(const struct view_run *run)
{
	const struct trace_scope *s = run->scope;
	char *text = NULL;
	size_t len;
	int n = 0;

	if (run->command)
		return escape_copy(ESCAPE_MESSAGE, run->command, strlen(run->command), &len);
	if (s && s->pid)
		n = asprintf(&text, "process %u", s->pid);
	else if (s && s->cgroup)
		n = asprintf(&text, "cgroup %s", s->cgroup);
	else if (s)
		n = asprintf(&text, "the whole system");
	return n < 0 ? NULL : text;
}

char *run_script(const struct view_run *run)
{
	const char *from = run->script ? run->script + strspn(run->script, " \n\t") : "";
	bool has_head = *from == '/' || *from == '#';
	char *line = calloc(1, SCRIPT_BYTES + sizeof("…"));
	size_t n = 0, step;

	for (; line && *from; from += step) {
		bool is_blank = *from == ' ' || *from == '\n' || *from == '\t';

		step = is_blank ? strspn(from, " \n\t") : utf8_length(from, strlen(from)) ?: 1;
		if (n + step > SCRIPT_BYTES)
			break;
		if (!is_blank) {
			memcpy(line + n, from, step);
			n += step;
		} else if (from[step]) {
			line[n++] = ' ';
		}
	}
	if (!line || !*from)
		return line;
	if (!has_head) {
		memcpy(line + n, "…", sizeof("…"));
		return line;
	}
	free(line);
	return run->script_name ? strdup(run->script_name) : NULL;
}
