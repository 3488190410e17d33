/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number written out as the value of a variable of declared type must fit it: the cut number is
 * never what was meant. What is calculated wraps, as in C, and a cast says that cutting is meant.
 * Before: types are final, which parameters have become numbers. After: nothing is changed.
 */
#include "sema.h"

struct number {
	uint64_t magnitude;
	bool is_negative;
};

/* Is `e` a number written out? True and false fit everywhere. */
static bool number_of(const struct expr *e, struct number *n)
{
	*n = (struct number){.is_negative = e->kind == EX_UNARY && e->unary.op == OP_NEG};
	if (n->is_negative)
		e = e->unary.operand;
	if (e->kind != EX_INT || e->integer.is_bool)
		return false;
	n->magnitude = e->integer.value;
	return true;
}

static uint64_t greatest(const struct type *t)
{
	return UINT64_MAX >> (64 - 8 * t->size + t->is_signed);
}

/* How far below 0 it goes. */
static uint64_t depth(const struct type *t)
{
	return t->is_signed ? greatest(t) + 1 : 0;
}

void sema_check_fit(struct sema *s, const struct expr *target, const struct expr *value)
{
	const struct var *v = target->kind == EX_VAR ? target->var.var : NULL;
	const struct type *t = v && v->is_declared ? v->type : NULL;
	struct number n;

	if (!t || t->kind != TY_INT || !number_of(value, &n) ||
	    n.magnitude <= (n.is_negative ? depth(t) : greatest(t)))
		return;
	diag_error(s->diags, value->span, "number-range",
		   "%s is %s, which holds %s%llu to %llu, not %s%llu", v->name,
		   type_str(s->arena, t), t->is_signed ? "-" : "", (unsigned long long)depth(t),
		   (unsigned long long)greatest(t), n.is_negative ? "-" : "",
		   (unsigned long long)n.magnitude);
	diag_hint(s->diags, "write (%s) before it to keep its low %u bits", type_str(s->arena, t),
		  8 * t->size);
}
