/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is decided at compile time, a part of pass 2: `comptime x`.
 */
#include "parser/sema/sema_type.h"

static bool is_literal(const struct expr *e)
{
	bool is_negated = e->kind == EX_UNARY && e->unary.op == OP_NEG;

	return e->kind == EX_INT || e->kind == EX_STRING ||
	       (is_negated && e->unary.operand->kind == EX_INT);
}

const struct type *sema_type_comptime(struct sema *s, struct expr *e)
{
	struct expr *x = e->unary.operand;
	const struct type *t = sema_type_expr(s, x);

	if (is_literal(x)) {
		*e = *x;
		return t;
	}
	if (!sema_is_wrong(t))
		sema_error(s, x->span, "comptime", "this is not known at compile time");
	return &type_error;
}

const struct type *sema_type_of(struct sema *s, struct expr *e)
{
	const struct map *m = e->kind == EX_MAP && e->map.is_whole ? e->map.map : NULL;
	const struct type *t;

	if (m && m->n_keys) {
		t = compound_entry(s, m);
		return t ? t->members[0].type : &sema_unknown;
	}
	t = sema_stored(sema_type_expr(s, e));
	return t == &sema_literal ? sema_word(true) : t;
}
