/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of functions. In C and C++ the calling convention says where they are. Go and Rust have
 * rules of their own, by the numbers and addresses that a value consists of, here its leaves. Go
 * puts each leaf of all results into the next register. Rust does so with a value of two leaves;
 * any other one of up to a word is returned as its bytes in a register, and what is larger in
 * memory (rustc_ty_utils, abi.rs; rustc_abi, layout.rs). Older versions of rustc differ in the
 * latter, in numbers that differ only in their sign, and in arrays of floating-point numbers.
 */
#include "parser/base/arena.h"
#include "runtime/dwarf/dwarf_impl.h"
#include <elf.h>

enum {
	NEST_MAX = 16,
	STEPS_MAX = 1000,
	LEAVES_MAX = 16,
	WORD = 8,
	X86_GO_INTS = 9,
	ARM_GO_INTS = 16,
	RUST_KNOWN = 75, /* rustc 1.75: newer versions have these rules */
	GO_FLOATS = 15,
};

/* The leaves of a value. Those of variants that are at the same place are one leaf. */
struct leaves {
	const struct dwarf_types *t;
	enum dwarf_family family;
	struct abi_leaf all[LEAVES_MAX];
	bool is_signed[LEAVES_MAX];
	uint32_t n;
	bool is_bytes;	/* an array, a union, several variants: never one register for each leaf */
	bool has_signs; /* leaves at the same place differ in their sign */
	bool is_unknown;
	int depth, n_steps;
};

static void scan(struct leaves *l, Dwarf_Die type, uint32_t at);

static void add(struct leaves *l, struct abi_leaf leaf, bool is_signed)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->all[i].offset != leaf.offset || l->all[i].size != leaf.size)
			continue;
		l->has_signs |= leaf.size < WORD && l->is_signed[i] != is_signed;
		l->is_bytes |= l->all[i].kind != leaf.kind;
		return;
	}
	if (l->n == LEAVES_MAX) {
		l->is_unknown = true;
		return;
	}
	l->is_signed[l->n] = is_signed;
	l->all[l->n++] = leaf;
}

/* ---- the parts of types -------------------------------------------------------------------- */

static void scan_member(struct leaves *l, Dwarf_Die *member, uint32_t at)
{
	Dwarf_Die of;

	if (dwarf_type_of(l->t, member, &of))
		scan(l, of,
		     at + (uint32_t)dwarf_number(l->t, member, DW_AT_data_member_location, 0));
}

/* The variant of an enum of Rust. Returns the number of its leaves; *has_tag: one of them tells the
 * variant. */
static uint32_t scan_variant(struct leaves *l, Dwarf_Die *variant, uint32_t at,
			     const struct abi_leaf *tag, bool *has_tag)
{
	struct leaves here = {.t = l->t,
			      .family = l->family,
			      .depth = l->depth,
			      .n_steps = l->n_steps};
	Dwarf_Die member;

	if (l->t->dw.dwarf_child(variant, &member) == 0)
		scan_member(&here, &member, at);
	for (uint32_t i = 0; i < here.n; i++) {
		*has_tag |= here.all[i].offset == tag->offset && tag->size;
		add(l, here.all[i], here.is_signed[i]);
	}
	l->n_steps = here.n_steps;
	l->is_bytes |= here.is_bytes;
	l->is_unknown |= here.is_unknown;
	l->has_signs |= here.has_signs;
	return here.n;
}

/* If a leaf of one variant tells the variant, the others must be empty. */
static void scan_variants(struct leaves *l, Dwarf_Die *part, uint32_t at)
{
	struct leaves tag = {.t = l->t, .family = l->family};
	struct abi_leaf none = {0}, *of = &none;
	uint32_t n_full = 0;
	bool has_tag = false;
	Dwarf_Die die;

	if (l->t->dw.dwarf_child(part, &die) != 0)
		return;
	do {
		if (l->t->dw.dwarf_tag(&die) == DW_TAG_member) {
			scan_member(&tag, &die, at);
			of = tag.n ? &tag.all[0] : of;
		} else {
			n_full += scan_variant(l, &die, at, of, &has_tag) > 0;
		}
	} while (l->t->dw.dwarf_siblingof(&die, &die) == 0);
	if (has_tag)
		l->is_bytes |= n_full > 1;
	else if (tag.n)
		add(l, *of, tag.is_signed[0]);
}

static void scan_record(struct leaves *l, Dwarf_Die *type, uint32_t at)
{
	Dwarf_Die member;

	l->is_bytes |= l->t->dw.dwarf_tag(type) == DW_TAG_union_type;
	if (!dwarf_number(l->t, type, DW_AT_byte_size, 0) ||
	    l->t->dw.dwarf_child(type, &member) != 0)
		return;
	do {
		int tag = l->t->dw.dwarf_tag(&member);

		if (tag == DW_TAG_member)
			scan_member(l, &member, at);
		else if (tag == DW_TAG_variant_part)
			scan_variants(l, &member, at);
	} while (l->t->dw.dwarf_siblingof(&member, &member) == 0);
}

/* Go puts an array of one element into a register; Rust none. */
static void scan_array(struct leaves *l, Dwarf_Die *array, uint32_t at)
{
	uint64_t n = 0;
	Dwarf_Die range, of;

	if (l->t->dw.dwarf_child(array, &range) == 0)
		n = dwarf_count(l->t, &range);
	l->is_bytes |= n > (l->family == FAMILY_GO);
	if (n && dwarf_type_of(l->t, array, &of))
		scan(l, of, at);
}

static void scan_number(struct leaves *l, Dwarf_Die *type, uint32_t at)
{
	struct dwarf_value v;

	dwarf_value_of(l->t, type, l->family, &v);
	l->is_unknown |= v.is_unknown;
	for (uint32_t i = 0; i < v.abi.n_leaves; i++) {
		v.abi.leaves[i].offset += at;
		add(l, v.abi.leaves[i], v.is_signed);
	}
}

static void scan(struct leaves *l, Dwarf_Die type, uint32_t at)
{
	if (++l->depth > NEST_MAX || ++l->n_steps > STEPS_MAX || !dwarf_plain(l->t, &type, NULL)) {
		l->is_unknown = true;
		return;
	}
	switch (l->t->dw.dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: scan_record(l, &type, at); break;
	case DW_TAG_array_type: scan_array(l, &type, at); break;
	default: scan_number(l, &type, at); break;
	}
	l->depth--;
}

static uint32_t n_floats(const struct leaves *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += l->all[i].kind != ABI_INT;
	return n;
}

static void set_parts(const struct leaves *l, struct tp_field *f, struct arena *a)
{
	struct value_part *parts = arena_alloc(a, (l->n + 1) * sizeof(*parts));

	for (uint32_t i = 0; i < l->n; i++)
		parts[i] = (struct value_part){l->all[i].offset, l->all[i].size};
	f->parts = parts;
	f->n_parts = l->n;
}

/* ---- Rust ---------------------------------------------------------------------------------- */

/* Are two leaves all of a value, as C would lay out a structure of them? */
static bool is_pair(const struct leaves *l, uint32_t size)
{
	const struct abi_leaf *x = &l->all[0], *y = &l->all[1];
	uint32_t align = x->size > y->size ? x->size : y->size;

	return l->n == 2 && !l->is_bytes && x->offset == 0 &&
	       y->offset == (x->size + y->size - 1) / y->size * y->size &&
	       size == (y->offset + y->size + align - 1) / align * align;
}

/* Did a version of rustc with these rules compile the function? */
static bool is_known_rust(const struct dwarf_types *t, Dwarf_Die *function)
{
	static const char word[] = "rustc version 1.";
	const char *producer = NULL, *at;
	Dwarf_Attribute a;
	Dwarf_Die unit;

	if (t->dw.dwarf_diecu(function, &unit, NULL, NULL) &&
	    t->dw.dwarf_attr(&unit, DW_AT_producer, &a))
		producer = t->dw.dwarf_formstring(&a);
	at = producer ? strstr(producer, word) : NULL;
	return at && strtoul(at + sizeof(word) - 1, NULL, 10) >= RUST_KNOWN;
}

static enum value_place rust_place(struct leaves *l, struct tp_field *f, uint32_t size, bool is_new,
				   struct arena *a)
{
	enum value_place memory = l->t->machine == EM_X86_64 ? PLACE_ADDRESS : PLACE_LOST;

	if (size > 2 * WORD)
		return memory;
	if (l->n == 2 && l->all[0].offset > l->all[1].offset) {
		struct abi_leaf second = l->all[0];

		l->all[0] = l->all[1];
		l->all[1] = second;
	}
	if (l->is_unknown || !l->n || (l->has_signs && !is_new))
		return PLACE_NUMBER;
	if (is_pair(l, size)) {
		if (n_floats(l))
			return PLACE_FLOATS;
		if (l->all[1].offset == WORD)
			return PLACE_WORDS;
		set_parts(l, f, a);
		return PLACE_PARTS;
	}
	if (l->n == 1 && !l->is_bytes)
		return n_floats(l) ? PLACE_FLOATS : PLACE_WORDS;
	if (!is_new && (size > WORD || n_floats(l) == l->n))
		return PLACE_NUMBER;
	return size > WORD ? memory : PLACE_WORDS;
}

/* ---- Go ------------------------------------------------------------------------------------ */

/* Go lists results among the parameters. */
bool dwarf_is_go_result(const struct dwarf_types *t, Dwarf_Die *param)
{
	return t->dw.dwarf_tag(param) == DW_TAG_formal_parameter &&
	       dwarf_flag(t, param, DW_AT_variable_parameter);
}

/* Registers that results use so far. */
struct go_registers {
	uint32_t ints, floats;
};

static void place_in_go(const struct leaves *l, struct tp_field *f, struct go_registers *r,
			struct arena *a)
{
	uint32_t floats = n_floats(l), ints = l->n - floats,
		 most = l->t->machine == EM_X86_64 ? X86_GO_INTS : ARM_GO_INTS;

	f->offset = TYPED_NO_PLACE;
	f->place = PLACE_NUMBER;
	if (l->is_unknown || l->is_bytes || r->ints + ints > most ||
	    r->floats + floats > GO_FLOATS) {
		f->size = 0; /* on the stack */
		return;
	}
	if (!floats && ints) {
		set_parts(l, f, a);
		f->offset = WORD * r->ints;
		f->place = f->size ? PLACE_NUMBER : PLACE_PARTS;
	} else if (floats) {
		f->place = PLACE_FLOATS;
	}
	r->ints += ints;
	r->floats += floats;
}

/* "(int, error)" */
static const char *types_of(const struct typed_function *f, struct arena *a)
{
	const char *text = "(";

	for (uint32_t i = 0; i < f->n_results; i++)
		text = arena_join(a, text, i ? ", " : "", f->results[i].type_text);
	return arena_printf(a, "%s)", text);
}

/* ---- all ----------------------------------------------------------------------------------- */

static struct tp_field describe(const struct dwarf_types *t, Dwarf_Die *type,
				enum dwarf_family family, struct dwarf_value *v, struct arena *a)
{
	struct tp_field f = {.name = "",
			     .type_text = dwarf_declare(t, type, family, "", a),
			     .declared = dwarf_declare(t, type, family, " retval", a)};

	dwarf_value_of(t, type, family, v);
	dwarf_set_value(t, &f, type, v, family, a);
	return f;
}

static bool go_results(const struct dwarf_types *t, Dwarf_Die *function, struct typed_function *f,
		       struct arena *a)
{
	struct go_registers used = {0};
	struct dwarf_value v;
	Dwarf_Die child, type;

	for (int more = t->dw.dwarf_child(function, &child); more == 0;
	     more = t->dw.dwarf_siblingof(&child, &child)) {
		struct leaves l = {.t = t, .family = FAMILY_GO};
		struct tp_field one;

		if (!dwarf_is_go_result(t, &child) || !dwarf_type_of(t, &child, &type))
			continue;
		one = describe(t, &type, FAMILY_GO, &v, a);
		scan(&l, type, 0);
		place_in_go(&l, &one, &used, a);
		arena_push(a, f->results, f->n_results, one);
	}
	if (f->n_results == 1)
		f->result = f->results[0];
	else if (f->n_results)
		f->result.declared =
			arena_printf(a, "%s retval", f->result.type_text = types_of(f, a));
	if (f->n_results < 2)
		f->n_results = 0;
	return f->n_results || f->result.declared;
}

bool dwarf_result(const struct dwarf_types *t, Dwarf_Die *function, enum dwarf_family family,
		  struct typed_function *f, struct arena *a, struct dwarf_value *v)
{
	struct leaves l = {.t = t, .family = family};
	Dwarf_Die type;

	*v = (struct dwarf_value){0};
	f->result = (struct tp_field){.name = "", .type_text = "void"};
	if (family == FAMILY_GO ? !go_results(t, function, f, a)
				: !dwarf_type_of(t, function, &type)) {
		f->result.declared = "void";
		return false;
	}
	if (family == FAMILY_GO)
		return true;
	f->result = describe(t, &type, family, v, a);
	if (v->size || f->unplaced) {
		f->result.place = PLACE_NUMBER;
	} else if (family == FAMILY_RUST) {
		scan(&l, type, 0);
		f->result.place =
			rust_place(&l, &f->result, v->abi.size, is_known_rust(t, function), a);
	} else if (!v->is_unknown) {
		f->result.place = abi_result_place(t->machine, &v->abi);
	}
	return true;
}
