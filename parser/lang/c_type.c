/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of structs and unions, and enums: see c_type.h. The register of names is in c_types.c.
 */
#include "parser/lang/c_type.h"
#include "parser/base/arena.h"

/* Structs in structs, and unnamed ones in those. Broken BTF can contain a struct in itself. */
enum { DEPTH_MAX = 32, UNNAMED_MAX = 8 };

/* ---- structs and unions ------------------------------------------------------------------ */

struct type_layout *layout_new(struct arena *a, bool is_union, const char *tag)
{
	struct type_layout *l = arena_new_of(a, struct type_layout);

	*l = (struct type_layout){.tag = tag ? arena_strdup(a, tag) : NULL,
				  .is_union = is_union,
				  .arena = a,
				  .align = 1};
	l->type = (struct type){.kind = TY_STRUCT, .align = 8, .layout = l};
	return l;
}

uint32_t c_align(const struct type *t)
{
	switch (t->kind) {
	case TY_STRUCT: return t->layout->align;
	case TY_ARRAY: return c_align(t->to);
	case TY_FLOAT: return t->size;
	default: return t->align ? t->align : 1;
	}
}

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* A bit-field does not cross a boundary of its type's size; one of width 0 moves to the next. */
static uint64_t bit_place(const struct type_layout *l, const struct type *t, uint64_t bits,
			  bool is_packed)
{
	uint64_t at = l->is_union ? 0 : l->end, unit = (uint64_t)t->size * 8;

	if (bits == 0 || (!is_packed && at / unit != (at + bits - 1) / unit))
		return align_up(at, unit);
	return at;
}

void layout_add(struct arena *a, struct type_layout *l, const char *name, const struct type *type,
		int bits)
{
	layout_add_as(a, l, name, type, bits, false, 0);
}

void layout_add_as(struct arena *a, struct type_layout *l, const char *name,
		   const struct type *type, int bits, bool is_packed, uint32_t least_align)
{
	uint32_t align = l->is_packed || is_packed ? 1 : c_align(type);
	struct type_member m = {.name = name ? arena_strdup(a, name) : NULL, .type = type};
	uint64_t at, end;

	align = least_align > align ? least_align : align;
	if (bits >= 0) {
		at = bit_place(l, type, (uint64_t)bits, l->is_packed || is_packed);
		end = at + (uint64_t)bits;
	} else {
		at = l->is_union ? 0 : align_up(l->end, align * 8);
		end = at + (uint64_t)type->size * 8;
	}
	if (bits < 0 || name)
		l->align = align > l->align ? align : l->align;
	l->end = end > l->end ? end : l->end;
	l->type.size = (uint32_t)((l->end + 7) / 8);
	m.offset = (uint32_t)(at / 8);
	m.bit = at % 8;
	m.bits = bits > 0 ? (uint8_t)bits : 0;
	if (bits < 0 || (bits > 0 && name))
		arena_push(a, l->members, l->n_members, m);
}

void layout_place(struct type_member *m, uint64_t at, uint64_t bits, uint32_t size)
{
	uint64_t most = (uint64_t)size * 8, n = bits ? bits : (uint64_t)m->type->size * 8;

	m->offset = (uint32_t)(at / 8);
	m->bit = at % 8;
	m->bits = (uint8_t)bits;
	if (at <= most && n <= most - at && bits <= 64u - m->bit &&
	    (bits ? type_is_integral(m->type) : !m->bit))
		return;
	m->type = &type_void;
	m->bit = m->bits = 0;
}

void layout_finish(struct type_layout *l)
{
	l->type.size = (uint32_t)align_up(l->type.size, l->align);
	l->is_complete = true;
	l->complete = NULL;
}

bool layout_complete(const struct type *t)
{
	struct type_layout *l = t->layout;

	if (!l->is_complete && l->complete)
		l->complete(l);
	return l->is_complete;
}

/* The members of `whole` outlive the script: they are where its layout is. */
static void flatten(struct type *whole, const struct type_layout *l, uint32_t at, int depth)
{
	struct type_member *list = (struct type_member *)whole->members;

	for (uint32_t i = 0; i < l->n_members; i++) {
		struct type_member m = l->members[i];

		m.offset += at;
		if (m.name)
			arena_push(whole->layout->arena, list, whole->n_members, m);
		else if (m.type->kind == TY_STRUCT && depth < UNNAMED_MAX) {
			whole->members = list;
			flatten(whole, m.type->layout, m.offset, depth + 1);
			list = (struct type_member *)whole->members;
		}
	}
	whole->members = list;
}

/* Types of copies have the same size and members as the layout's own. */
static void update_copy(struct type_layout *l, enum type_space space)
{
	if (!l->copies[space])
		return;
	*l->copies[space] = l->type;
	l->copies[space]->space = space;
}

static bool complete_whole(const struct type *t, int depth)
{
	while (t->kind == TY_ARRAY)
		t = t->to;
	if (t->kind != TY_STRUCT || t->n_members)
		return true;
	if (depth > DEPTH_MAX || !layout_complete(t))
		return false;
	for (uint32_t i = 0; i < t->layout->n_members; i++) {
		t->layout->members[i].is_used = true;
		if (!complete_whole(t->layout->members[i].type, depth + 1))
			return false;
	}
	flatten(&t->layout->type, t->layout, 0, 0);
	for (int space = SPACE_KERNEL; space < N_SPACES; space++)
		update_copy(t->layout, (enum type_space)space);
	return true;
}

const struct type *layout_in_space(const struct type *t, enum type_space space)
{
	struct type_layout *l = t->layout;

	if (space == SPACE_NONE)
		return &l->type;
	if (!l->copies[space])
		l->copies[space] = arena_new_of(l->arena, struct type);
	update_copy(l, space);
	return l->copies[space];
}

bool layout_complete_whole(const struct type *t)
{
	return complete_whole(t, 0);
}

static bool find(const struct type *t, const char *name, struct type_member *out, int depth)
{
	struct type_layout *l = t->layout;

	if (depth > UNNAMED_MAX || !layout_complete(t))
		return false;
	for (uint32_t i = 0; i < l->n_members; i++) {
		struct type_member *m = &l->members[i];

		if (m->name && strcmp(m->name, name) == 0) {
			m->is_used = true;
			*out = *m;
			return true;
		}
		if (m->name || m->type->kind != TY_STRUCT || !find(m->type, name, out, depth + 1))
			continue;
		m->is_used = true;
		out->offset += m->offset;
		return true;
	}
	return false;
}

bool layout_find(const struct type *t, const char *name, struct type_member *out)
{
	return find(t, name, out, 0);
}

static void each_name(const struct type *t, void (*fn)(const char *name, void *ctx), void *ctx,
		      int depth)
{
	if (depth > UNNAMED_MAX || !layout_complete(t))
		return;
	for (uint32_t i = 0; i < t->layout->n_members; i++) {
		const struct type_member *m = &t->layout->members[i];

		if (m->name)
			fn(m->name, ctx);
		else if (m->type->kind == TY_STRUCT)
			each_name(m->type, fn, ctx, depth + 1);
	}
}

void layout_each_name(const struct type *t, void (*fn)(const char *name, void *ctx), void *ctx)
{
	each_name(t, fn, ctx, 0);
}

const char *layout_str(struct arena *a, const struct type_layout *l)
{
	if (!l->tag && l->alias)
		return l->alias;
	return arena_join(a, l->is_union ? "union " : "struct ", l->tag ? l->tag : "{…}", "");
}

bool layout_equal(const struct type_layout *x, const struct type_layout *y)
{
	if (x == y || !x || !y)
		return x == y;
	return x->tag && y->tag && x->is_union == y->is_union && strcmp(x->tag, y->tag) == 0;
}

/* ---- enums ------------------------------------------------------------------------------- */

void enum_set_size(struct type_enum *e, uint32_t size, bool is_signed)
{
	e->type = *type_int(size, is_signed);
	e->type.enumeration = e;
	e->wide = *type_int(8, is_signed);
	e->wide.enumeration = e;
}

struct type_enum *enum_new(struct arena *a, const char *tag, uint32_t size, bool is_signed)
{
	struct type_enum *e = arena_new_of(a, struct type_enum);

	enum_set_size(e, size, is_signed);
	e->tag = tag ? arena_strdup(a, tag) : NULL;
	return e;
}

void enum_add(struct arena *a, struct type_enum *e, const char *name, int64_t value)
{
	struct type_enumerator v = {arena_strdup(a, name), value};

	arena_push(a, e->values, e->n_values, v);
}

const char *enum_name_of(const struct type_enum *e, int64_t value)
{
	for (uint32_t i = 0; i < e->n_values; i++)
		if (e->values[i].value == value)
			return e->values[i].name;
	return NULL;
}

const char *enum_str(struct arena *a, const struct type_enum *e)
{
	return arena_join(a, "enum ", e->tag ? e->tag : "{…}", "");
}

bool enum_equal(const struct type_enum *x, const struct type_enum *y)
{
	if (x == y || !x || !y)
		return x == y;
	return x->tag && y->tag && strcmp(x->tag, y->tag) == 0;
}
