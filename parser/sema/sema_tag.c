/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers that are times of a clock (nsecs(tai)) or addresses in a space (kptr): what keeps that,
 * and what must not be mixed. The type that holds values of two others.
 */
#include "parser/sema/sema_type.h"

/* The type that a value of type t has in a variable or map: integers are 64 bits wide. */
const struct type *sema_stored(const struct type *t)
{
	return t != &sema_literal ? type_wide(t) : t;
}

/* Times of different clocks, and addresses in different spaces, are not the same thing. */
static bool differ(const struct type *x, const struct type *y)
{
	return x->kind == TY_INT && y->kind == TY_INT && x != &sema_literal && y != &sema_literal &&
	       (x->clock != y->clock || x->space != y->space);
}

bool tag_refuse(struct sema *s, const struct type *old, struct span first, const struct type *t,
		const struct expr *from, const char *what)
{
	bool is_clock = old->clock != t->clock;

	if (!differ(old, t))
		return false;
	sema_error(s, from->span, "tag-mismatch",
		   is_clock ? "%s holds times of another clock than this one"
			    : "%s holds addresses in other memory than this one",
		   what);
	sema_note(s, first, "first assigned here");
	sema_hint(s, "use two variables, or cast %s: (uint64)(…)",
		  is_clock ? "a difference of times" : "it to a number");
	return true;
}

bool tag_knows_less(const struct type *t, const struct type *wider)
{
	if (t == &sema_literal || t->from != wider->from)
		return wider != t;
	for (uint32_t i = 0; t != wider && type_is_compound(t) && i < t->n_members; i++)
		if (tag_knows_less(t->members[i].type, wider->members[i].type))
			return true;
	return false;
}

/* Numbers made from addresses give others, but their difference is none. */
static const struct type *keep_from(const struct expr *e, const struct type *t)
{
	enum type_space x = type_space_of(e->binary.left->type);
	enum type_space y = type_space_of(e->binary.right->type);

	return type_from(t, e->binary.op == OP_SUB && x == y ? SPACE_NONE : type_join_spaces(x, y));
}

/* A time of a clock, or an address, plus or minus a number is another one. `t`: the type otherwise.
 */
const struct type *tag_keep(struct sema *s, const struct expr *e, const struct type *t)
{
	const struct type *x = e->binary.left->type, *y = e->binary.right->type;
	bool left = type_is_tagged(x), right = type_is_tagged(y);

	if (t->kind != TY_INT || left == right ||
	    (e->binary.op != OP_ADD && (e->binary.op != OP_SUB || right)))
		return keep_from(e, t);
	return type_tagged(s->arena, t->is_signed, (left ? x : y)->clock, (left ? x : y)->space);
}

/* type_unify of numbers, which may come from either memory. */
static const struct type *unify_numbers(const struct type *x, const struct type *y)
{
	const struct type *t = type_unify(x, y);

	return t ? type_from(t, type_join_spaces(x->from, y->from)) : NULL;
}

/* type_unify, except that a literal takes the other's sign, and an unknown type the other type. */
const struct type *sema_unify(struct sema *s, const struct type *x, const struct type *y)
{
	if (x == &sema_unknown)
		return y;
	if (y == &sema_unknown)
		return x;
	if (x == &sema_literal && y->kind == TY_INT)
		return sema_stored(type_plain_int(y));
	if (y == &sema_literal && x->kind == TY_INT)
		return sema_stored(type_plain_int(x));
	if (type_is_compound(x) && x != y)
		return compound_unify(s, x, y);
	if (x->kind == TY_POINTER && y->kind == TY_POINTER)
		return memory_mixes(x, y) ? NULL : x;
	if (x->kind == TY_POINTER && type_is_integral(y)) /* arg0, retval and 0 may be addresses */
		return x;
	if (y->kind == TY_POINTER && type_is_integral(x))
		return y;
	if (x->kind == TY_STRUCT && type_equal(x, y))
		return memory_unify_copies(x, y);
	return unify_numbers(x, y);
}
