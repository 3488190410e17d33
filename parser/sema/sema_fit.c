/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A literal number that is assigned to a variable of declared type must fit it, also as a branch
 * of ? : and as the result of constant folding, because truncation is never intended there.
 * Calculations with variables wrap, as in C, and a cast truncates.
 * Before: types are final, parameters are literals. After: nothing is changed.
 */
#include "parser/sema/sema.h"

static void check_number(struct sema *s, const struct var *v, const struct expr *value)
{
	const struct type *t = v->type;
	__int128 least = constant_least(t->size, t->is_signed), n;
	__int128 greatest = constant_greatest(t->size, t->is_signed);

	if (!constant_number(value, &n) || (n >= least && n <= greatest))
		return;
	diag_error(s->diags, value->span, "number-range", "%s is %s, which holds %s to %s, not %s",
		   v->name, type_str(s->arena, t), constant_str(s->arena, least),
		   constant_str(s->arena, greatest), constant_str(s->arena, n));
	diag_hint(s->diags, "write (%s)(…) around it to keep its low %u bits",
		  type_str(s->arena, t), 8 * t->size);
}

static void check_each(struct sema *s, const struct var *v, const struct expr *value)
{
	if (value->kind == EX_BLOCK && value->block.value) {
		check_each(s, v, value->block.value);
	} else if (value->kind == EX_TERNARY) {
		check_each(s, v, value->ternary.then ? value->ternary.then : value->ternary.cond);
		check_each(s, v, value->ternary.otherwise);
	} else {
		check_number(s, v, value);
	}
}

void sema_check_fit(struct sema *s, const struct expr *target, const struct expr *value)
{
	const struct var *v = target->kind == EX_VAR ? target->var.var : NULL;

	if (v && v->is_declared && v->type->kind == TY_INT)
		check_each(s, v, value);
}
