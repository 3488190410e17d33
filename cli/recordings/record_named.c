/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that are recorded by name: see record_named.h.
 */
#include "cli/recordings/record_named.h"
#include "parser/base/text.h"
#include "cli/compile/emit_facts.h"
#include "parser/base/arena.h"
#include "parser/lang/kernel.h"
#include "parser/lang/probe.h"
#include "runtime/base/log.h"
#include <string.h>

static bool is_raw(enum probe_id id)
{
	return prog_kind_is(probe_rows[id].program, PK_TYPED);
}

bool record_named_is(const char *pattern)
{
	enum probe_id id;

	return strchr(pattern, ':') && probe_find_type(pattern, &id) && probe_is_named(id);
}

/* [MODULE:]EVENT */
static int find_raw(struct arena *a, struct kernel *k, const char *name,
		    const struct typed_function **out)
{
	const char *colon = strchr(name, ':');
	const char *module = colon ? arena_strndup(a, name, (size_t)(colon - name)) : NULL;

	if (k->typed && k->typed(k, TYPED_TRACEPOINT, module, colon ? colon + 1 : name, out) == 0)
		return 0;
	log_error("--events: there is no raw tracepoint '%s'", name);
	return log_hint("sonde -l 'rawtracepoint:*' lists them");
}

int record_named_select(struct recorded_names *all, struct arena *a, struct kernel *k,
			const char *pattern)
{
	struct recorded_named one = {.text = pattern};
	enum probe_id id;

	if (TEXT_ITEM(all->items, all->n, text, pattern))
		return 0;
	if (probe_find_type(pattern, &id) && is_raw(id) &&
	    find_raw(a, k, strchr(pattern, ':') + 1, &one.typed))
		return -1;
	arena_push(a, all->items, all->n, one);
	return 0;
}

/* The arguments of a raw tracepoint, then 0; or 0. */
static void put_arguments(const struct typed_function *f, FILE *script)
{
	if (!f) {
		fputs("0", script);
		return;
	}
	fputc('(', script);
	for (uint32_t i = 0; i < f->n_params; i++)
		if (f->params[i].size)
			fprintf(script, "(uint64)args.%s, ", f->params[i].name);
		else
			fputs("0, ", script);
	fputs("0)", script);
}

void record_named_put(const struct recorded_names *all, const char *before, const char *head,
		      FILE *script, FILE *facts)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const struct recorded_named *one = &all->items[i];

		fprintf(script, "%s { %sprint((probe, %s", one->text, before, head);
		put_arguments(one->typed, script);
		fputs(")); }\n", script);
		fprintf(facts, "\nrecorded %s\n", one->text);
		if (one->typed)
			emit_typed(one->typed, true, facts);
	}
}
