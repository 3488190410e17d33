/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of loops, a part of pass 2: their variables, bounds and conditions.
 */
#include "parser/sema/sema_type.h"

static void type_for(struct sema *s, struct stmt *st)
{
	struct var *v = st->loop.var->var.var;
	struct expr *over = st->loop.over;
	const struct type *t;

	if (over) {
		v->map = over->map.map;
		over->type = &type_error;
		t = v->map ? compound_entry(s, v->map) : &type_error;
		if (v->map && ast_is_keyed_histogram(over))
			t = sema_error(
				s, over->span, "loop-map",
				"cannot iterate over a keyed histogram or series: %s has several entries for each key",
				over->map.name);
		else if (v->map && !v->map->n_keys)
			t = sema_error(s, over->span, "loop-map",
				       "cannot iterate over %s: it has no keys", over->map.name);
	} else {
		const struct type *x = sema_need_int(s, st->loop.from, ".."),
				  *y = sema_need_int(s, st->loop.to, "..");

		t = sema_unify(s, sema_stored(x), sema_stored(y));
	}
	if (t && (!v->type || !type_equal(v->type, t))) {
		s->changed |= !v->type || !over; /* an entry's type follows the map's */
		v->type = t;
	}
	st->loop.var->type = t ? t : &sema_unknown;
	sema_type_block(s, &st->loop.body);
}

void sema_type_loop(struct sema *s, struct stmt *st)
{
	if (st->kind == ST_FOR) {
		type_for(s, st);
		return;
	}
	if (st->kind == ST_WHILE)
		sema_check_truth(s, st->loop.cond, "while");
	else
		sema_need_int(s, st->loop.count, "unroll");
	sema_type_block(s, &st->loop.body);
}
