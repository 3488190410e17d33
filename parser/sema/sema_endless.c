/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: `while (1)` that nothing in its body leaves.
 */
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"

/* Set *found if a statement leaves the loop, in any branch. One that leaves an inner loop counts,
 * too. */
static void find_exit(struct block *b, void *found)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		*(bool *)found |= st->kind == ST_RETURN || st->kind == ST_BREAK ||
				  (st->kind == ST_EXPR && sema_leaves(st)); /* exit() */
		ast_each_block(st, find_exit, found);
	}
}

void advise_endless(struct sema *s, struct stmt *st)
{
	const struct expr *cond = st->loop.cond;
	bool has_exit = false;

	if (cond->kind != EX_INT || !cond->integer.value || cond->is_parameter)
		return;
	find_exit(&st->loop.body, &has_exit);
	if (has_exit || advice_is_copy(s, st->span))
		return;
	diag_warning(s->diags, cond->span, "endless-loop",
		     "nothing in this loop leaves it: it is cut short after many rounds");
	diag_hint(s->diags, "give it a condition, while ($i < 10), or leave it: if (…) { break; }");
}
