/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of `reason`: where it exists, and that it is compared with one of its values.
 */
#include "parser/lang/reason.h"
#include "parser/sema/sema_type.h"

static const struct type *no_reason(struct sema *s, const struct expr *e,
				    const struct attach_point *p)
{
	sema_error(s, e->span, "no-reason",
		   "'reason' is not available at %s: no thread leaves the CPU there", p->name);
	return sema_hint(s, "it is available at tracepoint:sched:sched_switch");
}

const struct type *chk_reason(struct sema *s, struct expr *e)
{
	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (!probe_is_sched_switch(p))
			return no_reason(s, e, p);
		if (s->kernel->recording || !point_tracepoint(p)->has_raw)
			return sema_no_typed(s, e, "reason");
	}
	return sema_is_lost_slice(s, e, "reason") ? &type_error : &type_name;
}

bool sema_check_reason(struct sema *s, const struct expr *name, const struct expr *text)
{
	const struct builtin *b = ast_builtin(name);
	const char *list = "", *near;

	if (!b || text->kind != EX_STRING || !(b->needs & NEEDS_REASON) ||
	    reason_find(text->string.text))
		return true;
	sema_error(s, text->span, "reason-word", "unknown reason \"%s\"", text->string.text);
	near = NEAREST(text->string.text, reasons, REASON_COUNT, item->word);
	for (uint32_t i = 0; i < REASON_COUNT; i++)
		list = arena_list(s->arena, list, "%s", reasons[i].word);
	sema_hint(s, near ? "did you mean \"%s\"?" : "it is one of %s", near ?: list);
	return false;
}
