/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes types of the language from BTF. Every id, offset and size is checked: BTF of modules and of
 * other files can be broken. What cannot be represented is void, which scripts cannot read.
 */
#include "runtime/kernel/btf_layout.h"
#include "parser/base/arena.h"
#include "runtime/btf/btf_walk.h"

/* Typedefs, qualifiers, pointers and arrays around one type. */
enum { CHAIN_MAX = 32, BYTE_BITS = 8 };

HASH_INTEGER_FUNCTIONS(btf_known_table, struct btf_known, uint32_t, hash_u64, e->id, e->id)

void btf_layouts_init(struct btf_layouts *s, struct btf_types *types, struct btf_layouts *base,
		      struct arena *a)
{
	*s = (struct btf_layouts){.types = types, .base = base, .arena = a};
}

void btf_layouts_free(struct btf_layouts *s)
{
	hash_free(&s->known);
}

/* The section whose id it is. */
static struct btf_layouts *section_of(struct btf_layouts *s, uint32_t id)
{
	while (s->base && id < s->types->first)
		s = s->base;
	return s;
}

static const char *name_at(const struct btf_layouts *s, const struct btf_type *t)
{
	const char *name = btf_types_string(s->types, t->name_off);

	return *name ? name : NULL;
}

/* ---- structs and unions ------------------------------------------------------------------ */

static uint32_t kind_of(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

/* Offset and width in bits; a width of 0: not a bit-field. Older BTF has both in the integer. */
static void place_of(struct btf_layouts *s, const struct btf_type *owner,
		     const struct btf_member *m, uint64_t *at, uint32_t *bits)
{
	const struct btf_type *t = btf_types_plain(s->types, m->type);
	uint32_t encoding;

	if (BTF_INFO_KFLAG(owner->info)) {
		*at = BTF_MEMBER_BIT_OFFSET(m->offset);
		*bits = BTF_MEMBER_BITFIELD_SIZE(m->offset);
		return;
	}
	*at = m->offset;
	*bits = 0;
	if (!t || kind_of(t) != BTF_KIND_INT)
		return;
	encoding = *(const uint32_t *)(t + 1);
	if (BTF_INT_BITS(encoding) == (uint64_t)t->size * BYTE_BITS)
		return;
	*bits = BTF_INT_BITS(encoding);
	*at += BTF_INT_OFFSET(encoding);
}

static struct type_member member_of(struct btf_layouts *s, const struct btf_type *owner,
				    const struct btf_member *m)
{
	const char *name = btf_types_string(s->types, m->name_off);
	struct type_member out = {.name = *name ? arena_strdup(s->arena, name) : NULL};
	uint64_t at;
	uint32_t bits;

	place_of(s, owner, m, &at, &bits);
	out.type = btf_layouts_type(s, m->type);
	layout_place(&out, at, bits, owner->size);
	return out;
}

/* A declaration without members: the definition has the same name. */
static const struct btf_type *definition_of(struct btf_layouts **s, uint32_t id)
{
	const struct btf_type *t = btf_types_at((*s)->types, id);
	const struct type *found;
	enum c_kind kind;

	if (!t || kind_of(t) != BTF_KIND_FWD)
		return t;
	kind = BTF_INFO_KFLAG(t->info) ? C_UNION : C_STRUCT;
	for (struct btf_layouts *at = *s; at; at = at->base) {
		found = btf_layouts_find(at, kind, btf_types_string((*s)->types, t->name_off));
		if (!found)
			continue;
		*s = at;
		return btf_types_at(at->types, found->layout->id);
	}
	return NULL;
}

static void complete(struct type_layout *l)
{
	struct btf_layouts *s = l->source;
	const struct btf_type *t = definition_of(&s, l->id);
	const struct btf_member *m;
	uint32_t n;

	if (!t || (kind_of(t) != BTF_KIND_STRUCT && kind_of(t) != BTF_KIND_UNION))
		return;
	n = BTF_INFO_VLEN(t->info);
	m = (const struct btf_member *)(t + 1);
	l->members = arena_alloc(s->arena, (n + 1) * sizeof(*l->members));
	for (uint32_t i = 0; i < n; i++)
		l->members[i] = member_of(s, t, &m[i]);
	l->n_members = n;
	l->type.size = t->size;
	l->is_complete = true;
	l->complete = NULL;
}

/* The alignment of a struct is not in BTF; that of a member of a script's own struct matters
 * little: take the largest that the size allows. */
static uint32_t align_of(uint32_t size)
{
	uint32_t align = 8;

	while (size % align)
		align /= 2;
	return align;
}

static const struct type *make_struct(struct btf_layouts *s, uint32_t id, const struct btf_type *t)
{
	bool is_fwd = kind_of(t) == BTF_KIND_FWD;
	bool is_union = is_fwd ? BTF_INFO_KFLAG(t->info) : kind_of(t) == BTF_KIND_UNION;
	struct type_layout *l = layout_new(s->arena, is_union, name_at(s, t));

	l->type.size = is_fwd ? 0 : t->size;
	l->align = align_of(l->type.size);
	l->complete = complete;
	l->source = s;
	l->id = id;
	return &l->type;
}

/* ---- enums ------------------------------------------------------------------------------- */

static int64_t value_at(const struct btf_type *t, uint32_t i)
{
	const struct btf_enum *values = (const struct btf_enum *)(t + 1);
	const struct btf_enum64 *longs = (const struct btf_enum64 *)(t + 1);

	if (kind_of(t) == BTF_KIND_ENUM)
		return BTF_INFO_KFLAG(t->info) || t->size < 4 ? values[i].val
							      : (int64_t)(uint32_t)values[i].val;
	return (int64_t)((uint64_t)longs[i].val_hi32 << 32 | longs[i].val_lo32);
}

static uint32_t value_name(const struct btf_type *t, uint32_t i)
{
	if (kind_of(t) == BTF_KIND_ENUM)
		return ((const struct btf_enum *)(t + 1))[i].name_off;
	return ((const struct btf_enum64 *)(t + 1))[i].name_off;
}

static bool is_word(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const struct type *make_enum(struct btf_layouts *s, const struct btf_type *t)
{
	struct type_enum *e;

	if (!is_word(t->size))
		return &type_void;
	e = enum_new(s->arena, name_at(s, t), t->size, BTF_INFO_KFLAG(t->info));
	for (uint32_t i = 0; i < BTF_INFO_VLEN(t->info); i++)
		enum_add(s->arena, e, btf_types_string(s->types, value_name(t, i)), value_at(t, i));
	return &e->type;
}

/* ---- by id ------------------------------------------------------------------------------- */

static const struct type *make_int(struct btf_layouts *s, const struct btf_type *t)
{
	uint32_t encoding = BTF_INT_ENCODING(*(const uint32_t *)(t + 1));

	if (t->size == 16) /* __int128 */
		return type_array(s->arena, type_int(8, false), 2);
	if (!is_word(t->size))
		return &type_void;
	if (encoding & BTF_INT_BOOL && t->size == 1)
		return &type_bool;
	return type_int(t->size, encoding & BTF_INT_SIGNED);
}

/* Bytes are a string: BTF does not tell which are characters. */
static const struct type *make_array(struct btf_layouts *s, const struct type *elem, uint32_t n)
{
	if (elem->kind == TY_INT && elem->size == 1 && !elem->enumeration && n)
		return type_chars(s->arena, n);
	if ((uint64_t)n * elem->size > INT32_MAX || elem->kind == TY_VOID)
		return &type_void;
	return type_array(s->arena, elem, n);
}

/* Structs and enums are made once for each id. */
static const struct type *known_type(struct btf_layouts *s, uint32_t id, const struct btf_type *t)
{
	const struct btf_known *known = btf_known_table_find(&s->known, id);
	bool is_enum = kind_of(t) == BTF_KIND_ENUM || kind_of(t) == BTF_KIND_ENUM64;
	const struct type *made;

	if (known)
		return known->type;
	made = is_enum ? make_enum(s, t) : make_struct(s, id, t);
	btf_known_table_insert(&s->known, (struct btf_known){id, made});
	return made;
}

static const struct type *type_of(struct btf_layouts *s, uint32_t id, int depth);

/* Of a typedef's or qualifier's target. The typedef names a struct without a tag. */
static const struct type *aliased(struct btf_layouts *s, const struct btf_type *t, int depth)
{
	const struct type *to = type_of(s, t->type, depth + 1);

	if (kind_of(t) == BTF_KIND_TYPEDEF && to->kind == TY_STRUCT && !to->layout->tag &&
	    !to->layout->alias)
		to->layout->alias = arena_strdup(s->arena, btf_types_string(s->types, t->name_off));
	return to;
}

/* A pointer to a type with the tag "user" points into the program's memory. */
static const struct type *make_pointer(struct btf_layouts *s, const struct btf_type *t, int depth)
{
	const struct btf_type *to = btf_types_at(s->types, t->type);
	bool is_user = to && kind_of(to) == BTF_KIND_TYPE_TAG &&
		       strcmp(btf_types_string(s->types, to->name_off), "user") == 0;

	return type_pointer(s->arena, type_of(s, t->type, depth + 1),
			    is_user ? SPACE_USER : SPACE_NONE);
}

static const struct type *type_of(struct btf_layouts *s, uint32_t id, int depth)
{
	const struct btf_type *t;
	const struct btf_array *array;

	s = section_of(s, id);
	t = btf_types_at(s->types, id);
	if (!t || depth > CHAIN_MAX)
		return &type_void;
	switch (kind_of(t)) {
	case BTF_KIND_INT: return make_int(s, t);
	case BTF_KIND_PTR: return make_pointer(s, t, depth);
	case BTF_KIND_ARRAY:
		array = (const struct btf_array *)(t + 1);
		return make_array(s, type_of(s, array->type, depth + 1), array->nelems);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return known_type(s, id, t);
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG: return aliased(s, t, depth);
	default: return &type_void;
	}
}

const struct type *btf_layouts_type(struct btf_layouts *s, uint32_t id)
{
	return type_of(s, id, 0);
}

/* ---- by name ----------------------------------------------------------------------------- */

static bool is_kind(const struct btf_type *t, enum c_kind kind)
{
	switch (kind) {
	case C_STRUCT: return kind_of(t) == BTF_KIND_STRUCT;
	case C_UNION: return kind_of(t) == BTF_KIND_UNION;
	case C_ENUM: return kind_of(t) == BTF_KIND_ENUM || kind_of(t) == BTF_KIND_ENUM64;
	case C_TYPEDEF: return kind_of(t) == BTF_KIND_TYPEDEF || kind_of(t) == BTF_KIND_INT;
	case C_CONSTANT: return false;
	}
	return false;
}

const struct type *btf_layouts_find(struct btf_layouts *s, enum c_kind kind, const char *name)
{
	const struct btf_types *types = s->types;

	for (uint32_t id = types->first; *name && id < types->first + types->n; id++) {
		const struct btf_type *t = btf_types_at(types, id);

		if (t && is_kind(t, kind) &&
		    strcmp(btf_types_string(types, t->name_off), name) == 0)
			return btf_layouts_type(s, id);
	}
	return NULL;
}

const struct type *btf_layouts_constant(struct btf_layouts *s, const char *name, int64_t *value)
{
	const struct btf_types *types = s->types;

	for (uint32_t id = types->first; id < types->first + types->n; id++) {
		const struct btf_type *t = btf_types_at(types, id);

		if (!t || !is_kind(t, C_ENUM))
			continue;
		for (uint32_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
			if (strcmp(btf_types_string(types, value_name(t, i)), name) != 0)
				continue;
			*value = value_at(t, i);
			return btf_layouts_type(s, id);
		}
	}
	return NULL;
}

void btf_layouts_each(const struct btf_layouts *s, enum c_kind kind, kernel_name_fn fn, void *ctx)
{
	const struct btf_types *types = s->types;

	for (uint32_t id = types->first; id < types->first + types->n; id++) {
		const struct btf_type *t = btf_types_at(types, id);

		if (t && is_kind(t, kind) && t->name_off)
			fn(btf_types_string(types, t->name_off), ctx);
	}
}
