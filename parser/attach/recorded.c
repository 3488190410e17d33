/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points on events of a recording: see expand.h.
 */
#include "parser/attach/expand.h"
#include "parser/base/text.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"

/* usdt:PATH:PROVIDER:NAME, of a target whose name may have the path as it is shown. */
static const char *usdt_name(struct arena *a, const char *type, const struct attach_target *t)
{
	size_t head = strlen(type) + 1 + strlen(target_path(t));

	return strlen(t->name) > head ? arena_printf(a, "%s:%s%s", type, t->path, t->name + head)
				      : t->name;
}

/* TYPE:PATH:FUNCTION */
static const char *event_name(struct arena *a, enum probe_id id, const struct attach_target *t,
			      const char *function)
{
	const char *type = probe_rows[id].name;

	if (t->path && t->name && probe_rows[id].arm == ARM_USDT)
		return usdt_name(a, type, t);
	return t->path ? arena_printf(a, "%s:%s:%s", type, t->path, function)
		       : arena_printf(a, "%s:%s", type, function);
}

const char *probe_recorded_name(struct arena *a, enum probe_id id, const struct attach_target *t)
{
	return event_name(a, id, t, t->function ?: t->symbol);
}

const char *probe_recorded_fact(struct arena *a, enum probe_id id, const struct attach_target *t)
{
	return event_name(a, id, t, t->symbol);
}

/* ---- messages ------------------------------------------------------------------------------ */

struct recorded_hint {
	char text[256];
	const char *type; /* "tracepoint:", or "" */
	uint32_t n;
};

static void list_recorded(const char *name, void *ctx)
{
	struct recorded_hint *h = ctx;

	if (strlen(h->text) + strlen(name) + strlen(h->type) + sizeof(", ") < sizeof(h->text))
		TEXT_LIST(h->text, sizeof(h->text), "%s%s", h->type, name);
	else
		h->n++;
}

int recorded_none(const struct probe_reader *r, struct span span, const char *text)
{
	struct recorded_hint h = {.text = "", .type = ""};
	struct kernel *k = r->kernel;

	if (k->each_recorded)
		k->each_recorded(k, list_recorded, &h);
	h.type = "tracepoint:";
	k->each_tracepoint(k, NULL, list_recorded, &h);
	diag_error(r->diags, span, "not-recorded", "%s was not recorded in '%s'", text,
		   k->recording);
	if (h.n)
		diag_hint(r->diags, "recorded are %s and %u more", h.text, h.n);
	else
		diag_hint(r->diags, "recorded are %s", h.text);
	return -1;
}

/* ---- functions ----------------------------------------------------------------------------- */

static uint32_t keep_targets(const struct probe_reader *r, enum probe_id id,
			     struct attach_target *t, uint32_t n_targets)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_targets; i++)
		if (r->kernel->is_recorded(r->kernel, probe_recorded_fact(r->arena, id, &t[i])))
			t[n++] = t[i];
	return n;
}

static void keep_recorded(const struct probe_reader *r, struct attach_point *p)
{
	p->n_targets = keep_targets(r, p->id, p->targets, p->n_targets);
	if (probe_is_at_returns(p))
		p->user.n_entries = keep_targets(r, p->id, p->user.entries, p->user.n_entries);
}

/* Errors that say that the kernel or a file does not have a function. */
static bool is_absence(const struct diags *d)
{
	static const char *const tags[] = {
		"no-binary",	  "no-match",	  "unknown-symbol", "no-symbols",
		"no-usdt",	  "no-library",	  "unknown-usdt",   "unknown-function",
		"unknown-module", "no-functions", "no-kprobes",	    "no-uprobes",
	};

	return d->n && TEXT_IS_IN(tags, d->items[0].tag, strlen(d->items[0].tag));
}

static int expand_call(struct probe_expansion *e)
{
	struct diags quiet = {.arena = e->r->arena, .source = e->r->diags->source};
	const struct probe_reader *r = e->r;
	struct probe_reader reader = *r;
	uint32_t first = *e->n_points, n = first;
	int err;

	reader.diags = &quiet;
	e->r = &reader;
	err = probe_rows[e->id].expand(e);
	e->r = r;
	if (err && !is_absence(&quiet)) {
		*e->n_points = first;
		return probe_rows[e->id].expand(e);
	}
	for (uint32_t i = first; i < *e->n_points; i++) {
		struct attach_point *p = &(*e->points)[i];

		keep_recorded(r, p);
		if (p->n_targets)
			(*e->points)[n++] = *p;
	}
	*e->n_points = n;
	return n > first ? 0 : recorded_none(r, e->text->span, e->text->text);
}

/* Are there events of the probe, or does the tracer itself run it? */
static bool has_events(struct probe_expansion *e)
{
	const struct probe_row *row = &probe_rows[e->id];
	struct kernel *k = e->r->kernel;
	bool is_interval =
		prog_kind_is(row->program, PK_PERIOD) && !prog_kind_is(row->program, PK_SCOPED);

	return row->arm == ARM_TRACEPOINT || is_interval || prog_kind_is(row->program, PK_TRACER) ||
	       (k->is_recorded && k->is_recorded(k, e->text->text));
}

int recorded_expand(struct probe_expansion *e)
{
	if (prog_kind_is(probe_rows[e->id].program, PK_KERNEL_FUNCTION | PK_USER_FUNCTION))
		return expand_call(e);
	if (has_events(e))
		return probe_rows[e->id].expand(e);
	if (probe_is_named(e->id))
		return recorded_none(e->r, e->text->span, e->text->text);
	diag_error(e->r->diags, e->text->span, "not-recorded",
		   "a recording has no events of %s: only those of tracepoints, functions, "
		   "counters and profile",
		   probe_rows[e->id].name);
	return diag_hint(e->r->diags, "BEGIN, END and interval run, too");
}
