/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs, unions and enums of a program as types of the language, found by name. Members that are
 * structs are read too. Of structs that a member points to only the name is kept; they are looked
 * up when a script reads one of their members.
 */
#include "runtime/kernel/dwarf_layout.h"
#include "parser/base/arena.h"
#include "parser/base/text.h"
#include "parser/lang/c_type.h"
#include "runtime/dwarf/dwarf_impl.h"

/* Limits: nesting of structs and of namespaces; members and elements in all. */
enum { NEST_MAX = 16, MEMBERS_MAX = 5000, BYTE_BITS = 8, WORD = 8 };

struct reading {
	const struct dwarf_types *t;
	struct arena *a;
	const char *file;
	uint32_t n_members;
};

static const struct type *type_of(struct reading *r, Dwarf_Die die, int depth);

/* ---- types ------------------------------------------------------------------------------- */

static bool is_word(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == WORD;
}

/* A number of 16 bytes that is not the C compiler's `long double`, as __float128 is on x86-64, is
 * not supported. */
static const struct type *float_type(struct reading *r, Dwarf_Die *die, uint64_t size)
{
	const char *name = r->t->dw.dwarf_diename(die);

	if (size == 16 && name && strcmp(name, "long double") == 0)
		return &type_long_double;
	return size == 4 ? &type_float : size == 8 ? &type_double : &type_void;
}

static const struct type *base_type(struct reading *r, Dwarf_Die *die)
{
	uint64_t size = dwarf_number(r->t, die, DW_AT_byte_size, 0);

	uint64_t encoding = dwarf_number(r->t, die, DW_AT_encoding, 0);

	if (encoding == DW_ATE_float)
		return float_type(r, die, size);
	switch (is_word(size) ? encoding : 0) {
	case DW_ATE_boolean: return size == 1 ? &type_bool : type_int((uint32_t)size, false);
	case DW_ATE_signed:
	case DW_ATE_signed_char: return type_int((uint32_t)size, true);
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_address: return type_int((uint32_t)size, false);
	default: return &type_void;
	}
}

static const struct type *enum_type(struct reading *r, Dwarf_Die *die)
{
	struct dwarf_value v;
	struct type_enum *e;
	Dwarf_Die value;
	Dwarf_Attribute a;
	Dwarf_Sword n;

	dwarf_value_of(r->t, die, FAMILY_C, &v);
	if (!is_word(v.size))
		return &type_void;
	e = enum_new(r->a, r->t->dw.dwarf_diename(die), v.size, v.is_signed);
	if (r->t->dw.dwarf_child(die, &value) != 0)
		return &e->type;
	do {
		const char *name = r->t->dw.dwarf_diename(&value);

		if (name && ++r->n_members < MEMBERS_MAX &&
		    r->t->dw.dwarf_attr(&value, DW_AT_const_value, &a) &&
		    !r->t->dw.dwarf_formsdata(&a, &n))
			enum_add(r->a, e, name, n);
	} while (r->t->dw.dwarf_siblingof(&value, &value) == 0);
	return &e->type;
}

/* The type that a pointer points to. For a struct only its name is kept, or the name of a typedef
 * if it has no tag. */
static const struct type *pointee(struct reading *r, Dwarf_Die die, int depth)
{
	const char *name = NULL, *own;
	Dwarf_Die plain = die;
	struct type *opaque;

	if (!dwarf_plain(r->t, &plain, NULL))
		return &type_void;
	if (!dwarf_is_record(r->t->dw.dwarf_tag(&plain)))
		return type_of(r, die, depth + 1);
	own = r->t->dw.dwarf_diename(&plain);
	while (!own && r->t->dw.dwarf_tag(&die) != DW_TAG_typedef &&
	       /* dwarf_plain() has checked that this loop ends */
	       dwarf_type_of(r->t, &die, &die))
		;
	name = own ? own : r->t->dw.dwarf_diename(&die);
	opaque = arena_new_of(r->a, struct type);
	*opaque = type_void;
	opaque->name = arena_printf(r->a, "%s%s%s", own ? "struct " : "",
				    name ? dwarf_scope_of(r->t, own ? &plain : &die, r->a) : "",
				    name ? name : "");
	opaque->file = r->file;
	return opaque;
}

/* Only `char` is: arrays of `unsigned char` and `signed char` hold numbers. */
static bool is_char(const struct reading *r, Dwarf_Die die)
{
	const char *name;

	if (!dwarf_plain(r->t, &die, NULL) || r->t->dw.dwarf_tag(&die) != DW_TAG_base_type)
		return false;
	name = r->t->dw.dwarf_diename(&die);
	return name && strcmp(name, "char") == 0;
}

static const struct type *array_type(struct reading *r, Dwarf_Die *array, int depth)
{
	uint64_t n[8], bound;
	const struct type *t;
	Dwarf_Die of, range;
	int dims = 0;

	if (!dwarf_type_of(r->t, array, &of))
		return &type_void;
	if (r->t->dw.dwarf_child(array, &range) == 0)
		do {
			bound = dwarf_number(r->t, &range, DW_AT_upper_bound, UINT64_MAX);
			n[dims++] = dwarf_number(r->t, &range, DW_AT_count, bound + 1);
		} while (dims < 8 && r->t->dw.dwarf_siblingof(&range, &range) == 0);
	t = type_of(r, of, depth + 1);
	if (t->kind == TY_VOID || !dims)
		return &type_void;
	if (is_char(r, of) && n[dims - 1] && n[dims - 1] <= INT32_MAX)
		t = type_chars(r->a, (uint32_t)n[--dims]);
	while (dims-- > 0) {
		if (n[dims] > INT32_MAX / (t->size ? t->size : 1))
			return &type_void;
		t = type_array(r->a, t, (uint32_t)n[dims]);
	}
	return t;
}

/* ---- structs ----------------------------------------------------------------------------- */

static void add_member(struct reading *r, struct type_layout *l, Dwarf_Die *die, int depth)
{
	const char *name = r->t->dw.dwarf_diename(die);
	struct type_member m = {.name = name ? arena_strdup(r->a, name) : NULL};
	uint64_t at, bits = dwarf_number(r->t, die, DW_AT_bit_size, 0);
	Dwarf_Die of;

	if (dwarf_flag(r->t, die, DW_AT_external) || !dwarf_type_of(r->t, die, &of))
		return; /* a static member */
	m.type = type_of(r, of, depth + 1);
	if (bits && !r->t->dw.dwarf_hasattr(die, DW_AT_data_bit_offset))
		m.type = &type_void; /* as DWARF 3 describes bit-fields */
	at = dwarf_number(r->t, die, DW_AT_data_member_location, 0) * BYTE_BITS;
	at += dwarf_number(r->t, die, DW_AT_data_bit_offset, 0);
	layout_place(&m, at, bits, l->type.size);
	if (m.name || m.type->kind == TY_STRUCT)
		arena_push(r->a, l->members, l->n_members, m);
}

/* An enum of Rust: what tells the variant is the member `discriminant`, an enum with the names of
 * the variants; the variants are members that overlap. */
static void add_variants(struct reading *r, struct type_layout *l, Dwarf_Die *part, int depth)
{
	struct type_member tag = {.name = "discriminant", .type = &type_void};
	struct type_enum *e = NULL;
	Dwarf_Die die, variant, type;

	if (r->t->dw.dwarf_child(part, &die) != 0)
		return;
	do {
		bool is_tag = r->t->dw.dwarf_tag(&die) == DW_TAG_member;

		if (is_tag && dwarf_type_of(r->t, &die, &type)) {
			tag.type = type_of(r, type, depth + 1);
			layout_place(&tag,
				     dwarf_number(r->t, &die, DW_AT_data_member_location, 0) *
					     BYTE_BITS,
				     0, l->type.size);
		}
		if (is_tag || r->t->dw.dwarf_child(&die, &variant) != 0)
			continue;
		if (!e)
			e = enum_new(r->a, NULL, tag.type->size == 8 ? 8 : 4, false);
		if (r->t->dw.dwarf_hasattr(&die, DW_AT_discr_value))
			enum_add(r->a, e,
				 arena_strdup(r->a, r->t->dw.dwarf_diename(&variant) ?: ""),
				 (int64_t)dwarf_number(r->t, &die, DW_AT_discr_value, 0));
		if (++r->n_members < MEMBERS_MAX)
			add_member(r, l, &variant, depth);
	} while (r->t->dw.dwarf_siblingof(&die, &die) == 0);
	if (!e || !tag.type->size)
		return;
	if (tag.type->kind == TY_POINTER)
		tag.type = type_int(8, false);
	enum_set_size(e, tag.type->size, tag.type->is_signed);
	tag.type = &e->type;
	arena_push(r->a, l->members, l->n_members, tag);
}

static const struct type *struct_type(struct reading *r, Dwarf_Die *die, int depth)
{
	bool is_union = r->t->dw.dwarf_tag(die) == DW_TAG_union_type;
	struct type_layout *l = layout_new(r->a, is_union, r->t->dw.dwarf_diename(die));
	Dwarf_Die member;

	l->type.size = (uint32_t)dwarf_number(r->t, die, DW_AT_byte_size, 0);
	l->is_complete = !dwarf_flag(r->t, die, DW_AT_declaration);
	if (r->t->dw.dwarf_child(die, &member) != 0)
		return &l->type;
	do {
		int tag = r->t->dw.dwarf_tag(&member);

		if (tag == DW_TAG_variant_part)
			add_variants(r, l, &member, depth);
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    ++r->n_members < MEMBERS_MAX)
			add_member(r, l, &member, depth);
	} while (r->t->dw.dwarf_siblingof(&member, &member) == 0);
	return &l->type;
}

static const struct type *type_of(struct reading *r, Dwarf_Die die, int depth)
{
	Dwarf_Die to;

	if (depth > NEST_MAX || !dwarf_plain(r->t, &die, NULL))
		return &type_void;
	switch (r->t->dw.dwarf_tag(&die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return struct_type(r, &die, depth);
	case DW_TAG_base_type: return base_type(r, &die);
	case DW_TAG_enumeration_type: return enum_type(r, &die);
	case DW_TAG_array_type: return array_type(r, &die, depth);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return type_pointer(r->a,
				    dwarf_type_of(r->t, &die, &to) ? pointee(r, to, depth)
								   : &type_void,
				    SPACE_NONE);
	default: return &type_void;
	}
}

const struct type *dwarf_layout_of(struct dwarf_types *t, const void *die, const char *path,
				   struct arena *a)
{
	struct reading r = {.t = t, .a = a, .file = path};
	const struct type *type = type_of(&r, *(const Dwarf_Die *)die, 0);

	return type->kind == TY_VOID ? NULL : type;
}

/* ---- by name ----------------------------------------------------------------------------- */

/* The name without "const" and "struct". */
static const char *bare_name(const char *name)
{
	static const char *const words[] = {"const ", "volatile ", "struct ",
					    "class ", "union ",	   "enum "};

	const char *const *word = TEXT_PREFIX(words, name);

	return word ? bare_name(name + strlen(*word)) : name;
}

/* Find the type in the type units of a .dwo file. */
static bool find_in_split(const struct dwarf_types *t, Dwarf_Die *split, const char *name,
			  Dwarf_Die *out)
{
	Dwarf *dwo = t->dw.dwarf_cu_getdwarf(split->cu);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	while (dwo && dwo != t->dwarf &&
	       t->dw.dwarf_get_units(dwo, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		if (t->dw.dwarf_tag(&unit) == DW_TAG_type_unit &&
		    dwarf_scope_find(t, &unit, name, out))
			return true;
	return false;
}

const struct type *dwarf_types_named(struct dwarf_types *t, const char *name, const char *file,
				     struct arena *a)
{
	struct reading r = {.t = t, .a = a, .file = file};
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split, found;

	name = bare_name(name);
	while (*name && t->dw.dwarf_get_units(t->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		bool is_split = libdw_split(&t->dw, &unit, &split);

		if (dwarf_scope_find(t, is_split ? &split : &unit, name, &found) ||
		    (is_split && find_in_split(t, &split, name, &found)))
			return type_of(&r, found, 0);
	}
	return NULL;
}
