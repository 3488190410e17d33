/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what a replay of a script needs: see record_script.h. The script is checked first, for
 * its events and its types of C; then it runs with the recorder's text (record_events.c) behind
 * it, and what it prints is dropped.
 */
#include "cli/saved/record_script.h"
#include "cli/compile/emit_types.h"
#include "cli/options/options.h"
#include "cli/run/walk.h"
#include "cli/saved/record_events.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"
#include "parser/lang/probe.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include <stdlib.h>
#include <string.h>

/* ---- the list of its events --------------------------------------------------------------- */

static bool is_event(const struct attach_point *p)
{
	const struct probe_row *row = &probe_rows[p->id];
	bool is_interval =
		prog_kind_is(row->program, PK_PERIOD) && !prog_kind_is(row->program, PK_SCOPED);

	return !is_interval && !prog_kind_is(row->program, PK_TRACER);
}

/* Functions of one file, whose names may have a comma. */
static bool is_in_a_file(const struct attach_point *p)
{
	for (uint32_t i = 0; i < p->n_targets; i++)
		if (strcmp(p->targets[i].path, p->targets[0].path) != 0)
			return false;
	return p->n_targets > 0;
}

static void put_point(const struct attach_point *p, FILE *list)
{
	const struct tp_format *f = probe_format(p);

	if (point_has(p, ARM_USER) && is_in_a_file(p)) {
		fprintf(list, "%s:\"%s\":\"%s\",", probe_rows[p->id].name,
			p->targets[0].called ?: p->targets[0].path, p->function);
		return;
	}
	if (!f) {
		fprintf(list, "%s,", p->is_named ? p->resolved : p->name);
		return;
	}
	fprintf(list, "tracepoint:%s:%s,", f->category, f->event);
	if (p->ends == SPAN_SYSCALL && strncmp(f->event, "sys_exit", 8) == 0)
		fprintf(list, "tracepoint:%s:sys_enter%s,", f->category, f->event + 8);
}

static void put_list(const struct program *p, FILE *list)
{
	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t k = 0; k < p->probes[i]->n_points; k++)
			if (is_event(&p->probes[i]->points[k]))
				put_point(&p->probes[i]->points[k], list);
}

/* ---- the run ------------------------------------------------------------------------------ */

/* From malloc; NULL when out of memory. */
static char *text_of(const struct program *p, bool is_list)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	if (is_list)
		put_list(p, f);
	else
		emit_types(p->c_types, f);
	fclose(f);
	return text;
}

static int record(const struct options *o, struct kernel *k, const struct program *p,
		  bool has_stacks)
{
	char *list = text_of(p, true), *types = text_of(p, false);
	const struct recorded_script script = {.source = p->source,
					       .types = types,
					       .stacks = o->event_stacks || has_stacks};
	int status = 1;

	if (!list || !types)
		log_error("out of memory");
	else if (!*list)
		log_error("'%s' has no events to record", p->source->name);
	else
		status = record_events_of(o, k, list, &script);
	free(list);
	free(types);
	return status;
}

int record_script_run(const struct options *o)
{
	struct kernel *k = walk_open_kernel(o);
	struct arena *a = arena_new();
	struct program *program;
	bool has_stacks;
	int status = k ? walk_check(a, o, k, &program, &has_stacks) : 1;

	if (!status)
		status = record(o, k, program, has_stacks);
	if (k)
		kernel_close(k);
	arena_free(a);
	return status;
}
