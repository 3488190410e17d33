/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of pass 2 share: sema_type.c, the rounds and the plain types; sema_call.c, calls;
 * sema_compound.c, values with parts; sema_memory.c, what is read of memory.
 */
#pragma once
#include "parser/sema/sema.h"
#include "parser/lang/type.h"

/* Both are told from the types they look like by their address: sema_type.c. */
extern const struct type sema_literal, sema_unknown;

/* 64 bits. */
static inline const struct type *sema_word(bool is_signed)
{
	return type_int(8, is_signed);
}

static inline bool sema_is_wrong(const struct type *t)
{
	return t->kind == TY_ERROR && t != &sema_unknown;
}

/* ---- sema_type.c */
/* Find the type of `e` and what is in it; sets e->type. */
const struct type *sema_type_expr(struct sema *s, struct expr *e);
const struct type *sema_unify(struct sema *s, const struct type *x, const struct type *y);
const struct type *sema_stored(const struct type *t);
/* What an expression sees of a map's value: most aggregations are integers there. */
const struct type *sema_read_type(const struct type *t);
void sema_widen(struct sema *s, const struct type **slot, struct span *first, const struct type *t,
		const struct expr *from, const char *what);
const char *sema_name_of(struct sema *s, const struct type *t);

/* ---- sema_operator.c */
/* Find the type of `e`, which must be an integer; `op` is for the message. */
const struct type *sema_need_int(struct sema *s, struct expr *e, const char *op);
/* The same for an expression whose type was found already: each is visited once, or nesting would
 * take exponential time. */
const struct type *sema_check_int(struct sema *s, const struct expr *e, const char *op);
/* The type of a condition; a pointer is true when it is not 0. `op` is for the message. */
const struct type *sema_check_truth(struct sema *s, struct expr *e, const char *op);
const struct type *sema_type_binary(struct sema *s, struct expr *e);
const struct type *sema_type_unary(struct sema *s, struct expr *e);
const struct type *sema_type_ternary(struct sema *s, struct expr *e);

/* ---- sema_constant.c: of calculations whose operands have their types; `t` is what they would be
 * of if they were no numbers written out */
/* The type of a number written out. */
const struct type *constant_type(const struct expr *e);
/* Arithmetic, comparisons and -: folded if their operands are numbers. */
const struct type *constant_binary(struct sema *s, struct expr *e, const struct type *t);
const struct type *constant_compare(struct expr *e);
/* The operation `e` on a text written out: joined, cut or compared. NULL: it is none of these. */
const struct type *constant_text(struct sema *s, struct expr *e);
const struct type *constant_negated(struct sema *s, struct expr *e, const struct type *t);
/* Is there a result with this on the right? False: said. */
bool constant_check_right(struct sema *s, enum op op, const struct expr *right);

/* ---- sema_call.c */
/* The type of what the call gives; its arguments get theirs. */
const struct type *sema_type_call(struct sema *s, struct expr *e);

/* ---- sema_memory.c */
/* `e` of a pointer and something else. */
const struct type *memory_arith(struct sema *s, struct expr *e);
/* Addresses, one of the kernel and one of a traced program? */
bool memory_mixes(const struct type *x, const struct type *y);
/* A pointer, and a pointer or a number? */
bool memory_comparable(const struct type *x, const struct type *y);
/* The type of what is read at an address of type `t`, by `e`. */
const struct type *memory_read(struct sema *s, const struct expr *e, const struct type *t);
const struct type *memory_array(struct sema *s, struct span at, const struct type *elem,
				uint64_t n);
const struct type *memory_cast(struct sema *s, struct expr *e, const struct type *t,
			       const struct type *to);
const struct type *memory_index(struct sema *s, struct expr *e, const struct type *t);

/* ---- sema_compound.c */
/* sema_unify of two compound types that differ. */
const struct type *compound_unify(struct sema *s, const struct type *x, const struct type *y);
/* The comparison `e` of two compound values. */
const struct type *compound_compare(struct sema *s, struct expr *e, bool equality);
/* *p */
const struct type *compound_deref(struct sema *s, struct expr *e);
/* t.x, of a compound object whose type was found. */
const struct type *compound_member(struct sema *s, struct expr *e);
/* (a, b), (x = a, y = b) */
const struct type *compound_list(struct sema *s, struct expr *e);
/* The type a script spells; NULL with the mistake said. */
const struct type *compound_named(struct sema *s, const struct type_name *n);
const struct type *compound_cast(struct sema *s, struct expr *e);
const struct type *compound_index(struct sema *s, struct expr *e);
/* @m[t]: the tuple t is all of the keys. */
void compound_spread_key(struct sema *s, struct expr *e);
/* Type of an entry of the map, NULL while that is not known. */
const struct type *compound_entry(struct sema *s, const struct map *m);
