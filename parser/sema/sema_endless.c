/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: `while (1)` that nothing in its body leaves.
 */
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"

static bool has_exit(const struct block *b);

/* True if the statement leaves the loop, in any branch. A statement that leaves an inner loop
 * counts, too. */
static bool leaves_loop(const struct stmt *st)
{
	switch (st->kind) {
	case ST_RETURN:
	case ST_BREAK: return true;
	case ST_BLOCK:
	case ST_CALLED: return has_exit(&st->block);
	case ST_IF: return has_exit(&st->branch.then) || has_exit(&st->branch.otherwise);
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: return has_exit(&st->loop.body);
	case ST_EXPR: return sema_leaves(st); /* exit() */
	default: return false;
	}
}

static bool has_exit(const struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (leaves_loop(b->items[i]))
			return true;
	return false;
}

void advise_endless(struct sema *s, const struct stmt *st)
{
	const struct expr *cond = st->loop.cond;

	if (cond->kind != EX_INT || !cond->integer.value || cond->is_parameter ||
	    has_exit(&st->loop.body) || advice_is_copy(s, st->span))
		return;
	diag_warning(s->diags, cond->span, "endless-loop",
		     "nothing in this loop leaves it: it is cut short after many rounds");
	diag_hint(s->diags, "give it a condition, while ($i < 10), or leave it: if (…) { break; }");
}
