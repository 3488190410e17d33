/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point numbers of the traced program. Programs in the kernel have no instructions for
 * them: they copy the bytes, which user space prints. The one operation on their bits is the cast
 * to an integer, of the number or of its product with an integer: (int64)(x * 1000).
 */
#include "parser/sema/sema_type.h"

const struct type *float_refuse(struct sema *s, const struct expr *e, const char *what)
{
	sema_error(s, e->span, "float",
		   "%s is not possible with %s: programs in the kernel have no floating-point "
		   "instructions",
		   what, sema_name_of(s, e->type));
	return sema_hint(s, "scale it to an integer: (int64)(x * 1000)");
}

bool float_take_scale(struct sema *s)
{
	bool scales = s->scales;

	s->scales = false;
	return scales;
}

static bool is_factor(const struct type *t)
{
	return type_is_integral(t) || t == &sema_unknown;
}

bool float_is_scaled(const struct type *x, const struct type *y)
{
	return (x->kind == TY_FLOAT && is_factor(y)) || (y->kind == TY_FLOAT && is_factor(x));
}

const struct type *float_cast(struct sema *s, const struct expr *e, const struct type *t,
			      const struct type *to)
{
	if (to->kind == TY_INT && !to->enumeration)
		return to;
	if (e->cast.operand->kind != EX_BINARY && type_equal(t, to))
		return to;
	return float_refuse(s, e->cast.operand,
			    arena_printf(s->arena, "a cast to %s", sema_name_of(s, to)));
}

static bool has_float(const struct type *t)
{
	bool found = t->kind == TY_FLOAT || (t->kind == TY_ARRAY && has_float(t->to));

	for (uint32_t i = 0; type_is_compound(t) && !found && i < t->n_members; i++)
		found = has_float(t->members[i].type);
	return found;
}

const struct type *float_check_key(struct sema *s, const struct expr *key, const struct type *t)
{
	if (!has_float(t))
		return t;
	sema_error(s, key->span, "key-type",
		   "%s cannot be a map key: equal floating-point numbers can differ in their bits",
		   sema_name_of(s, t));
	return sema_hint(s, "scale it to an integer: @[(int64)(x * 1000)]");
}
