/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that pointers point into and that numbers are addresses in.
 */
#include "parser/lang/type_space.h"
#include "parser/lang/probe.h"

enum type_space type_join_spaces(enum type_space x, enum type_space y)
{
	return x == y || y == SPACE_NONE ? x : x == SPACE_NONE ? y : SPACE_BOTH;
}

enum type_space type_space_of(const struct type *t)
{
	if (t->kind == TY_INT && t->space == SPACE_NONE)
		return t->from;
	return t->kind == TY_POINTER || t->kind == TY_INT ? t->space : SPACE_NONE;
}

const struct type *type_from(const struct type *t, enum type_space from)
{
	static const struct type words[2][N_SPACES] = {
#define WORDS(sign)                                                                         \
	[sign] = {WORD(sign, SPACE_NONE), WORD(sign, SPACE_KERNEL), WORD(sign, SPACE_USER), \
		  WORD(sign, SPACE_BOTH)},
#define WORD(sign, space) \
	[space] = {.kind = TY_INT, .size = 8, .align = 8, .is_signed = sign, .from = space}
		WORDS(false) WORDS(true)
#undef WORD
#undef WORDS
	};

	if (t->kind != TY_INT || t->size != 8 || t->enumeration || type_is_tagged(t) ||
	    t->from == from)
		return t;
	return &words[t->is_signed][from];
}

bool type_is_in_user_space(const struct type *t, bool otherwise)
{
	enum type_space space = type_space_of(t);

	return space == SPACE_NONE ? otherwise : space == SPACE_USER;
}

enum type_space probe_address_space(const struct attach_point *p, const struct type *t)
{
	enum type_space space = type_space_of(t);

	if (space != SPACE_NONE)
		return space;
	return t->kind == TY_INT ? probe_rows[p->id].space : probe_space(p);
}
