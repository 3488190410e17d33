/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a type's values: the numbers and addresses in them, with offsets, for calling
 * conventions; and whether a value is a single number or address, which a script can read.
 */
#include "parser/base/arena.h"
#include "runtime/dwarf/dwarf_impl.h"

enum {
	CHAIN_MAX = 32,	    /* typedefs and qualifiers of a type */
	NEST_MAX = 16,	    /* nested structures */
	LEVELS_MAX = 8,	    /* pointers to pointers */
	STEPS_MAX = 1000,   /* parts of a structure */
	LOOK_INTO_MAX = 64, /* bytes: larger values are never passed in registers */
	ALIGN_MAX = 4096,
	WORD = 8,
};

bool dwarf_plain(const struct dwarf_types *t, Dwarf_Die *type, uint32_t *align)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		uint64_t required = dwarf_number(t, type, DW_AT_alignment, 0);

		if (align && required > *align && required <= ALIGN_MAX)
			*align = (uint32_t)required;
		switch (t->dw.dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_type_of(t, type, type))
				return false;
			break;
		default: return true;
		}
	}
	return false;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static bool is_signed_base(const struct dwarf_types *t, Dwarf_Die *base)
{
	uint64_t encoding = dwarf_number(t, base, DW_AT_encoding, 0);

	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* Is the enum signed? For C, debug information has no underlying type, only the values: it is
 * signed if one of them is negative. */
static bool is_signed_enum(const struct dwarf_types *t, Dwarf_Die *type)
{
	Dwarf_Die under, value;
	Dwarf_Attribute a;
	Dwarf_Sword n;

	if (dwarf_type_of(t, type, &under) && dwarf_plain(t, &under, NULL))
		return is_signed_base(t, &under);
	for (int more = t->dw.dwarf_child(type, &value); more == 0;
	     more = t->dw.dwarf_siblingof(&value, &value)) {
		if (t->dw.dwarf_attr(&value, DW_AT_const_value, &a) &&
		    t->dw.dwarf_whatform(&a) == DW_FORM_sdata && !t->dw.dwarf_formsdata(&a, &n) &&
		    n < 0)
			return true;
	}
	return false;
}

static enum abi_kind float_kind(const struct dwarf_types *t, Dwarf_Die *type, uint32_t size)
{
	const char *name = t->dw.dwarf_diename(type);

	if (t->machine != EM_X86_64 || size <= WORD || (name && strstr(name, "128")))
		return ABI_FLOAT;
	return ABI_X87;
}

static void base_leaves(const struct dwarf_types *t, Dwarf_Die *type, struct abi_value *v)
{
	uint32_t size = (uint32_t)dwarf_number(t, type, DW_AT_byte_size, 0), n = 1;
	enum abi_kind kind = ABI_INT;

	switch (dwarf_number(t, type, DW_AT_encoding, 0)) {
	case DW_ATE_complex_float:
		n = 2;
		v->is_complex = true;
		kind = float_kind(t, type, size / 2);
		break;
	case DW_ATE_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float: kind = float_kind(t, type, size); break;
	default: break;
	}
	v->size = size;
	for (uint32_t i = 0; size && i < n; i++)
		v->leaves[v->n_leaves++] = (struct abi_leaf){i * (size / n), size / n, kind};
	v->align = size / n > 16 ? 16 : size / n;
}

/* ---- structures ---------------------------------------------------------------------------- */

struct flattening {
	const struct dwarf_types *t;
	enum dwarf_family family;
	struct abi_value *v;
	int depth, n_steps;
	bool is_unknown;
};

static void flatten(struct flattening *f, Dwarf_Die *type, uint32_t at);

static void add_leaf(struct abi_value *v, struct abi_leaf leaf, uint32_t at)
{
	leaf.offset += at;
	if (v->n_leaves < ABI_LEAVES)
		v->leaves[v->n_leaves++] = leaf;
	else
		v->has_more = true;
}

/* The offset of a member; 0 if there is none. In DWARF 2 the offset is an expression, which is not
 * supported. */
static uint32_t member_offset(struct flattening *f, Dwarf_Die *member)
{
	uint64_t n = dwarf_number(f->t, member, DW_AT_data_member_location, UINT64_MAX);

	if (n != UINT64_MAX)
		return (uint32_t)n;
	f->is_unknown |= f->t->dw.dwarf_hasattr(member, DW_AT_data_member_location);
	return 0;
}

/* A bit field counts as the bytes that it touches. */
static void flatten_bits(struct flattening *f, Dwarf_Die *member, uint32_t at)
{
	uint64_t first = dwarf_number(f->t, member, DW_AT_data_bit_offset, 0);
	uint64_t size = dwarf_number(f->t, member, DW_AT_bit_size, 0);

	for (uint64_t byte = first / 8; size && byte <= (first + size - 1) / 8; byte++)
		add_leaf(f->v, (struct abi_leaf){(uint32_t)byte, 1, ABI_INT}, at);
}

static void flatten_members(struct flattening *f, Dwarf_Die *type, uint32_t at)
{
	const struct dwarf_types *t = f->t;
	Dwarf_Die member, of;
	uint64_t required;

	for (int more = t->dw.dwarf_child(type, &member); more == 0;
	     more = t->dw.dwarf_siblingof(&member, &member)) {
		int tag = t->dw.dwarf_tag(&member);

		if (tag == DW_TAG_variant_part)
			f->is_unknown = true;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_flag(t, &member, DW_AT_external) || !dwarf_type_of(t, &member, &of))
			continue; /* a static member is not part of the value */
		required = dwarf_number(t, &member, DW_AT_alignment, 0);
		if (required > f->v->align && required <= ALIGN_MAX)
			f->v->align = (uint32_t)required;
		if (t->dw.dwarf_hasattr(&member, DW_AT_bit_size))
			flatten_bits(f, &member, at);
		else
			flatten(f, &of, at + member_offset(f, &member));
	}
}

static uint64_t elements(const struct dwarf_types *t, Dwarf_Die *array)
{
	uint64_t n = 1;
	Dwarf_Die range;

	if (t->dw.dwarf_child(array, &range) != 0)
		return 0;
	do {
		n *= dwarf_count(t, &range);
	} while (t->dw.dwarf_siblingof(&range, &range) == 0 && n <= LOOK_INTO_MAX);
	return n;
}

static void flatten_array(struct flattening *f, Dwarf_Die *array, uint32_t at)
{
	uint64_t n = elements(f->t, array);
	struct dwarf_value one;
	Dwarf_Die of;

	if (!dwarf_type_of(f->t, array, &of))
		return;
	if (dwarf_flag(f->t, array, DW_AT_GNU_vector)) {
		dwarf_value_of(f->t, &of, f->family, &one);
		one.abi.size *= (uint32_t)n;
		add_leaf(f->v, (struct abi_leaf){0, one.abi.size, ABI_VECTOR}, at);
		return;
	}
	if (n)
		dwarf_value_of(f->t, &of, f->family, &one);
	for (uint64_t i = 0; i < n && i <= ABI_LEAVES; i++)
		flatten(f, &of, at + (uint32_t)i * one.abi.size);
}

/* Add the numbers and addresses in `type`, which is at offset `at`. */
static void flatten(struct flattening *f, Dwarf_Die *type, uint32_t at)
{
	struct abi_value base = {0};
	uint32_t align = 0;

	if (f->v->has_more)
		return; /* no more leaves are needed */
	if (++f->depth > NEST_MAX || ++f->n_steps > STEPS_MAX || !dwarf_plain(f->t, type, &align)) {
		f->is_unknown = true;
		return;
	}
	switch (f->t->dw.dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: flatten_members(f, type, at); break;
	case DW_TAG_array_type: flatten_array(f, type, at); break;
	case DW_TAG_base_type: base_leaves(f->t, type, &base); break;
	case DW_TAG_enumeration_type:
	case DW_TAG_subrange_type:
		base.align = (uint32_t)dwarf_number(f->t, type, DW_AT_byte_size, 4);
		add_leaf(&base, (struct abi_leaf){0, base.align, ABI_INT}, 0);
		break;
	case DW_TAG_ptr_to_member_type: f->is_unknown = true; break;
	default:
		base.align = WORD;
		add_leaf(&base, (struct abi_leaf){0, WORD, ABI_INT}, 0);
		break;
	}
	for (uint32_t i = 0; i < base.n_leaves; i++)
		add_leaf(f->v, base.leaves[i], at);
	align = base.align > align ? base.align : align;
	f->v->align = align > f->v->align ? align : f->v->align;
	f->depth--;
}

/* ---- Rust's values --------------------------------------------------------------------------- */

/* A structure that contains a single number is passed like that number, "&str" as its address and
 * length. For others it is unspecified. */
static void as_rust(const struct dwarf_types *t, Dwarf_Die *type, struct dwarf_value *v)
{
	const char *name = t->dw.dwarf_diename(type);

	if (!v->abi.size || (v->abi.n_leaves == 1 && v->abi.leaves[0].size == v->abi.size))
		return;
	v->abi.is_pair = name && name[0] == '&' && v->abi.size == 2 * WORD && v->abi.n_leaves == 2;
	v->is_unknown |= !v->abi.is_pair;
}

static void aggregate(const struct dwarf_types *t, Dwarf_Die *type, enum dwarf_family family,
		      struct dwarf_value *v)
{
	struct flattening f = {.t = t, .family = family, .v = &v->abi};

	v->abi.is_aggregate = true;
	v->abi.size = (uint32_t)dwarf_number(t, type, DW_AT_byte_size, 0);
	if (v->abi.size <= LOOK_INTO_MAX)
		flatten(&f, type, 0);
	else
		v->abi.has_more = true;
	if (family == FAMILY_CPP)
		v->abi.is_reference = dwarf_class_is_by_address(t, type);
	else if (family == FAMILY_RUST)
		as_rust(t, type, v);
	v->is_unknown |= f.is_unknown && !v->abi.is_reference;
}

/* ---- all ----------------------------------------------------------------------------------- */

static void scalar(struct dwarf_value *v, uint32_t size, bool is_signed)
{
	v->abi.size = v->abi.align = size;
	v->abi.leaves[0] = (struct abi_leaf){0, size, ABI_INT};
	v->abi.n_leaves = 1;
	v->size = size == 1 || size == 2 || size == 4 || size == WORD ? size : 0;
	v->is_signed = is_signed;
}

static void base_value(const struct dwarf_types *t, Dwarf_Die *type, struct dwarf_value *v)
{
	base_leaves(t, type, &v->abi);
	if (v->abi.n_leaves == 1 && v->abi.leaves[0].kind == ABI_INT && v->abi.size <= WORD)
		scalar(v, v->abi.size, is_signed_base(t, type));
}

/* A vector type of gcc, or an array in a language that passes arrays by value. */
static void array_value(const struct dwarf_types *t, Dwarf_Die *type, enum dwarf_family family,
			struct dwarf_value *v)
{
	struct flattening f = {.t = t, .family = family, .v = &v->abi};

	flatten_array(&f, type, 0);
	v->abi.is_aggregate = !dwarf_flag(t, type, DW_AT_GNU_vector);
	for (uint32_t i = 0; i < v->abi.n_leaves; i++)
		v->abi.size += v->abi.leaves[i].size;
	v->abi.align = v->abi.is_aggregate ? WORD : v->abi.size;
	v->is_unknown |= f.is_unknown || (v->abi.is_aggregate && family != FAMILY_C);
}

void dwarf_value_of(const struct dwarf_types *t, Dwarf_Die *of, enum dwarf_family family,
		    struct dwarf_value *v)
{
	Dwarf_Die type = *of, to;
	uint32_t align = 0;

	*v = (struct dwarf_value){0};
	if (!dwarf_plain(t, &type, &align)) {
		v->is_unknown = true;
		return;
	}
	switch (t->dw.dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: aggregate(t, &type, family, v); break;
	case DW_TAG_array_type: array_value(t, &type, family, v); break;
	case DW_TAG_base_type: base_value(t, &type, v); break;
	case DW_TAG_enumeration_type:
	case DW_TAG_subrange_type:
		v->is_enum = t->dw.dwarf_tag(&type) == DW_TAG_enumeration_type;
		scalar(v, (uint32_t)dwarf_number(t, &type, DW_AT_byte_size, 4),
		       is_signed_enum(t, &type));
		break;
	case DW_TAG_ptr_to_member_type: /* of a function: its address and an adjustment of `this` */
		scalar(v, WORD, false);
		if (dwarf_type_of(t, &type, &to) && dwarf_plain(t, &to, NULL) &&
		    t->dw.dwarf_tag(&to) == DW_TAG_subroutine_type) {
			add_leaf(&v->abi, v->abi.leaves[0], WORD);
			v->abi.size = 2 * WORD;
			v->size = 0;
		}
		break;
	default: scalar(v, WORD, false); break; /* pointers and the like */
	}
	v->abi.align = align > v->abi.align ? align : v->abi.align;
}

/* The name of a type, with the namespaces that it is in. */
static const char *with_scope(const struct dwarf_types *t, Dwarf_Die type, const char *text,
			      struct arena *a)
{
	const char *name = t->dw.dwarf_diename(&type);
	size_t n, all = strlen(text);
	Dwarf_Die plain;

	while (!name && dwarf_type_of(t, &type, &type)) /* skip const */
		name = t->dw.dwarf_diename(&type);
	plain = type;
	n = name ? strlen(name) : 0;
	if (!n || n > all || strcmp(text + all - n, name) != 0 || !dwarf_plain(t, &plain, NULL) ||
	    t->dw.dwarf_tag(&plain) == DW_TAG_base_type)
		return text;
	return arena_printf(a, "%.*s%s%s", (int)(all - n), text, dwarf_scope_of(t, &type, a), name);
}

struct tp_pointee dwarf_pointee(const struct dwarf_types *t, Dwarf_Die *of,
				enum dwarf_family family, struct arena *a)
{
	struct tp_pointee to = {.text = ""};
	struct dwarf_value v = {0};
	Dwarf_Die type = *of, plain = *of;
	bool is_void = false;

	while (to.levels < LEVELS_MAX && !is_void && dwarf_plain(t, &plain, NULL) &&
	       dwarf_is_pointer(t->dw.dwarf_tag(&plain))) {
		to.levels++;
		is_void = !dwarf_type_of(t, &plain, &type);
		plain = type;
	}
	if (!to.levels)
		return to;
	if (!is_void)
		dwarf_value_of(t, &type, family, &v);
	to.text = dwarf_declare(t, is_void ? NULL : &type, family, "", a);
	if (!is_void)
		to.text = with_scope(t, type, to.text, a);
	to.size = v.size;
	to.is_signed = v.is_signed;
	return to;
}
