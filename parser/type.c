/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types: the constants, their names, and the type that holds values of two others.
 * Reads nothing, writes nothing; used by every later stage.
 */
#include "type.h"
#include "agg.h"
#include "arena.h"
#include <stddef.h>

const struct type type_error = {.kind = TY_ERROR, .size = 8, .align = 8};
const struct type type_void = {.kind = TY_VOID, .align = 1};
const struct type type_bool = {.kind = TY_BOOL, .size = 1, .align = 1};
const struct type type_kstack = {.kind = TY_KSTACK, .size = 8, .align = 8};
const struct type type_ksym = {.kind = TY_KSYM, .size = 8, .align = 8};
const struct type type_usym = {.kind = TY_USYM, .size = 16, .align = 8};
const struct type type_username = {.kind = TY_USERNAME, .size = 8, .align = 8};
const struct type type_ustack = {.kind = TY_USTACK, .size = 8, .align = 8};

static const struct type ints[2][4] = {
	{
		{.kind = TY_INT, .size = 1, .align = 1},
		{.kind = TY_INT, .size = 2, .align = 2},
		{.kind = TY_INT, .size = 4, .align = 4},
		{.kind = TY_INT, .size = 8, .align = 8},
	},
	{
		{.kind = TY_INT, .size = 1, .align = 1, .is_signed = true},
		{.kind = TY_INT, .size = 2, .align = 2, .is_signed = true},
		{.kind = TY_INT, .size = 4, .align = 4, .is_signed = true},
		{.kind = TY_INT, .size = 8, .align = 8, .is_signed = true},
	},
};

static const struct type aggs[2][AGG_KIND_COUNT] = {
/* Size: as a value of its own, in a record; in a map agg_words has it. */
#define AGG_ROW(id, ...)                                                                           \
	[AGG_##id] = {.kind = TY_AGG, .size = AGG_##id == AGG_STATS ? 16 : 8, .align = 8,          \
		      .agg = AGG_##id},
	{
#include "aggs.def"
	},
#undef AGG_ROW
#define AGG_ROW(id, ...)                                                                           \
	[AGG_##id] = {.kind = TY_AGG, .size = AGG_##id == AGG_STATS ? 16 : 8, .align = 8,          \
		      .is_signed = true, .agg = AGG_##id},
	{
#include "aggs.def"
	},
#undef AGG_ROW
};

const struct type *type_int(uint32_t size, bool is_signed)
{
	return &ints[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

const struct type *type_string(struct arena *a, uint32_t size)
{
	struct type *t = arena_new_of(a, struct type);

	*t = (struct type){.kind = TY_STRING, .size = size, .align = 1};
	return t;
}

const struct type *type_agg(enum agg_kind agg, bool is_signed)
{
	return &aggs[is_signed][agg];
}

const struct type *type_buckets(struct arena *a, enum agg_kind agg, const int64_t scale[3])
{
	struct type *t = arena_new_of(a, struct type);

	*t = (struct type){.kind = TY_AGG, .size = 8, .align = 8, .agg = agg};
	for (int i = 0; i < 3; i++)
		t->scale[i] = scale[i];
	return t;
}

static const char *agg_str(struct arena *a, const struct type *t)
{
	const struct agg_row *row = &agg_rows[t->agg];
	const char *name = t->is_signed ? row->name_signed : row->name_unsigned;

	if (t->agg == AGG_LHIST)
		return arena_printf(a, "%s(%lld, %lld, %lld)", name, (long long)t->scale[0],
				    (long long)t->scale[1], (long long)t->scale[2]);
	if (t->agg == AGG_HIST && t->scale[0])
		return arena_printf(a, "%s(%lld)", name, (long long)t->scale[0]);
	return name ? name : "?";
}

const char *type_str(struct arena *a, const struct type *t)
{
	if (!t)
		return "?";
	switch (t->kind) {
	case TY_ERROR:
		return "error";
	case TY_VOID:
		return "void";
	case TY_BOOL:
		return "bool";
	case TY_INT:
		return arena_printf(a, "%sint%u", t->is_signed ? "" : "u", t->size * 8);
	case TY_STRING:
		return arena_printf(a, "string[%u]", t->size);
	case TY_KSTACK:
		return "kstack";
	case TY_USTACK:
		return "ustack";
	case TY_KSYM:
		return "ksym";
	case TY_USYM:
		return "usym";
	case TY_USERNAME:
		return "username";
	case TY_TIMESTAMP:
		return "timestamp";
	case TY_AGG:
		return agg_str(a, t);
	}
	return "?";
}

/* Same sign: the larger. Different sign: the signed one when strictly larger, else signed with
 * twice the unsigned one's size, at most 64 bits (spec/language.md section 4, rule 8). */
static const struct type *unify_ints(const struct type *x, const struct type *y)
{
	const struct type *s = x->is_signed ? x : y, *u = x->is_signed ? y : x;
	uint32_t size;

	if (x->is_signed == y->is_signed)
		return x->size >= y->size ? x : y;
	size = s->size > u->size ? s->size : u->size * 2;
	return type_int(size > 8 ? 8 : size, true);
}

const struct type *type_unify(const struct type *x, const struct type *y)
{
	if (type_equal(x, y))
		return x;
	if (x->kind == TY_ERROR || y->kind == TY_ERROR)
		return &type_error;
	if (x->kind == TY_STRING && y->kind == TY_STRING)
		return x->size >= y->size ? x : y;
	if (type_is_integral(x) && type_is_integral(y)) {
		if (x->kind == TY_BOOL)
			return y;
		if (y->kind == TY_BOOL)
			return x;
		return unify_ints(x, y);
	}
	if (x->kind == TY_AGG && y->kind == TY_AGG && x->agg == y->agg && x->scale[0] == y->scale[0] &&
	    x->scale[1] == y->scale[1] && x->scale[2] == y->scale[2])
		return x->is_signed ? x : y;
	return NULL;
}
