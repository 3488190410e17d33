/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See run_title.h.
 */
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

/* Do its programs take samples, and nothing else? */
static bool takes_samples(const struct plan *plan)
{
	bool found = false, others = false;

	for (uint32_t i = 0; i < plan->n_progs; i++) {
		enum plan_prog_kind kind = plan->progs[i].kind;
		bool is_sample = prog_kind_is(kind, PK_EVENT) ||
				 (prog_kind_is(kind, PK_PERIOD) && prog_kind_is(kind, PK_SCOPED));

		found |= is_sample;
		others |= plan->progs[i].n_probes && !is_sample &&
			  !prog_kind_is(kind, PK_OUTSIDE | PK_TRACER | PK_PERIOD);
	}
	return found && !others;
}

/* What all spans of the script are; NULL: there are none, or several kinds. */
static const char *kind_of_spans(const struct plan *plan)
{
	const char *found = NULL;

	for (uint32_t i = 0; i < plan->n_probes; i++) {
		enum span_kind kind = plan->probes[i].state.kind;
		const char *name = kind == SPAN_SWITCH	? "off-cpu"
				   : kind == SPAN_SLICE ? "on-cpu"
							: "";

		if (kind == SPAN_NO)
			continue;
		if (!*name || (found && strcmp(found, name) != 0))
			return NULL;
		found = name;
	}
	return found;
}

void run_units(struct view_run *run, const struct plan *plan)
{
	run->counted = takes_samples(plan) ? "samples" : NULL;
	run->timed = kind_of_spans(plan);
}
