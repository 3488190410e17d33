/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences of times of two clocks: `elapsed - @start`, where @start holds nsecs. What a variable
 * or a map holds is known if only one clock is assigned to it.
 */
#include "parser/sema/sema_advice.h"

/* True for a builtin that is the current time of some clock. Durations, such as delta, are known
 * only where a span ends. */
static bool is_clock(const struct expr *e)
{
	const struct builtin *b = e && e->kind == EX_NAME ? e->name.builtin : NULL;

	return b && b->traits & TR_NSECS && !(b->traits & TR_END);
}

static bool is_same_clock(const struct expr *x, const struct expr *y)
{
	return x->name.builtin == y->name.builtin && x->name.word == y->name.word;
}

static bool holds(const struct expr *target, const struct expr *holder)
{
	if (target->kind != holder->kind)
		return false;
	if (target->kind == EX_VAR)
		return target->var.var && target->var.var == holder->var.var;
	return target->kind == EX_MAP && target->map.map && target->map.map == holder->map.map;
}

/* The only clock of which `holder`, a variable or a map, holds times; NULL: not known. */
static const struct expr *clock_in(const struct sema *s, const struct expr *holder)
{
	const struct expr *found = NULL;

	for (uint32_t i = 0; i < s->n_assigns; i++) {
		const struct stmt *st = s->assigns[i];
		const struct expr *value = ast_assigned(st);

		if (!holds(ast_target(st), holder) ||
		    (value->kind == EX_INT && !value->integer.value))
			continue;
		if (!is_clock(value) || (found && !is_same_clock(found, value)))
			return NULL;
		found = value;
	}
	return found;
}

void advise_clocks(struct sema *s, const struct expr *e)
{
	const struct expr *now = e->binary.left, *then = e->binary.right, *clock;
	const char *text, *name, *other;

	if (e->binary.op != OP_SUB || !is_clock(now) || advice_is_copy(s, e->span))
		return;
	clock = is_clock(then) ? then : clock_in(s, then);
	if (!clock || is_same_clock(clock, now))
		return;
	text = advice_text(s, then->span, 0);
	name = advice_text(s, now->span, 0);
	other = advice_text(s, clock->span, 0);
	if (!text || !name || !other)
		return;
	if (clock == then) {
		diag_warning(s->diags, e->span, "two-clocks", "%s and %s are times of two clocks",
			     name, text);
		diag_hint(s->diags, "keep a time, @start = %s, and subtract it later: %s - @start",
			  name, name);
		return;
	}
	diag_warning(s->diags, e->span, "two-clocks", "%s holds %s, and %s is another clock", text,
		     other, name);
	diag_hint(s->diags, "subtract times of one clock: %s - %s", other, text);
}
