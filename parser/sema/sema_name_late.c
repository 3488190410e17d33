/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that are assigned elsewhere than where they are read, a part of pass 1: further down
 * in the probe, or in another probe.
 */
#include "parser/lang/span_kind.h"
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_name.h"

enum { SHOWN_MOST = 40 }; /* bytes of a value in a hint */

/* Looks for an assignment to the variable that `read` names, after `from`. */
struct assignment_search {
	const struct expr *read;
	uint32_t from;
	const struct stmt *found;
};

static void search_block(struct block *b, void *ctx)
{
	struct assignment_search *f = ctx;

	for (uint32_t i = 0; i < b->n && !f->found; i++) {
		struct stmt *st = b->items[i];
		const struct expr *target = ast_assigned(st) ? ast_target(st) : NULL;

		if (target && target->kind == EX_VAR && target->var.mark == f->read->var.mark &&
		    target->span.start >= f->from &&
		    strcmp(target->var.name, f->read->var.name) == 0)
			f->found = st;
		else if (st->kind != ST_CALLED) /* its variables are its own */
			ast_each_block(st, search_block, f);
	}
}

bool name_read_early(struct sema *s, const struct expr *e)
{
	struct assignment_search f = {.read = e, .from = e->span.end};

	search_block(&s->probe->body, &f);
	if (!f.found)
		return false;
	diag_error(s->diags, e->span, "undefined-variable", "%s is read before it is assigned",
		   e->var.name);
	diag_note(s->diags, ast_target(f.found)->span, "it is assigned here");
	return diag_hint(s->diags, "put the assignment first"), true;
}

/* True if sonde itself runs the probe, so that its thread is not a traced one. */
static bool is_of_tracer(const struct probe *p)
{
	return p->n_points && prog_kind_is(probe_rows[p->points[0].id].program, PK_TRACER);
}

/* True if the probe ends what `delta` measures. */
static bool ends_span(const struct probe *p)
{
	return p->n_points && span_of_event(&p->points[0]) != SPAN_NO;
}

static bool is_time(const struct expr *value)
{
	const struct builtin *b =
		value && value->kind == EX_NAME ? builtin_find(value->name.name) : NULL;

	return b && b->traits & TR_NSECS;
}

bool name_hint_other_probe(struct sema *s, const struct expr *e)
{
	struct assignment_search f = {.read = e};
	struct probe *other = NULL;
	const struct expr *value;
	const char *name = e->var.name + 1, *text;

	for (uint32_t i = 0; i < s->program->n_probes && !f.found; i++) {
		other = s->program->probes[i];
		if (other != s->probe)
			search_block(&other->body, &f);
	}
	if (!f.found)
		return false;
	value = ast_assigned(f.found);
	text = advice_text(s, value->span, SHOWN_MOST) ?: "…";
	diag_note(s->diags, ast_target(f.found)->span, "this $%s belongs to another probe", name);
	if (is_of_tracer(s->probe) || is_of_tracer(other))
		diag_hint(s->diags, "all probes share a map: write @%s = %s there, and @%s here",
			  name, text, name);
	else
		diag_hint(s->diags,
			  "use a map with a value for each thread: write @%s[tid] = %s there, and "
			  "@%s[tid] here%s",
			  name, text, name,
			  is_time(value) && ends_span(s->probe)
				  ? ", or use delta, the time since the entry"
				  : "");
	return true;
}
