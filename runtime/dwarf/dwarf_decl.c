/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF types as C declarators (decl.h). In C++ and Rust the name of a structure is not preceded by
 * `struct`.
 */
#include "parser/base/arena.h"
#include "runtime/base/decl.h"
#include "runtime/dwarf/dwarf_impl.h"
#include <stdio.h>

struct spelling {
	const struct dwarf_types *t;
	enum dwarf_family family;
	struct decl d;
	bool is_pointer;
	int *n_steps; /* shared with nested declarators */
};

enum { STEPS_MAX = 1000 };

static bool declare(struct spelling *s, Dwarf_Die *type, int depth);

/* The name of the base type. */
static void bottom_name(const struct spelling *s, Dwarf_Die *type, bool is_void, char *out,
			size_t size)
{
	const char *name = is_void ? "void" : s->t->dw.dwarf_diename(type), *word = "";

	switch (is_void || s->family != FAMILY_C ? 0 : s->t->dw.dwarf_tag(type)) {
	case DW_TAG_structure_type: word = "struct "; break;
	case DW_TAG_union_type: word = "union "; break;
	case DW_TAG_enumeration_type: word = "enum "; break;
	default: break;
	}
	snprintf(out, size, "%s%s", word, name ? name : "{…}");
}

static void append_param(struct spelling *s, Dwarf_Die *param, int depth)
{
	struct spelling one = {.t = s->t, .family = s->family, .n_steps = s->n_steps};
	char bottom[DECL_MIDDLE];
	Dwarf_Die type;
	bool is_void = !dwarf_type_of(s->t, param, &type);

	decl_begin(&one.d, "");
	is_void |= !declare(&one, &type, depth + 1);
	bottom_name(&one, &type, is_void, bottom, sizeof(bottom));
	decl_append(&s->d, one.d.qualifiers);
	decl_append(&s->d, bottom);
	decl_append(&s->d, decl_text(&one.d));
}

static void append_params(struct spelling *s, Dwarf_Die *prototype, int depth)
{
	const char *before = "(";
	Dwarf_Die child;
	bool has_child = s->t->dw.dwarf_child(prototype, &child) == 0, is_deep;

	for (; has_child; has_child = s->t->dw.dwarf_siblingof(&child, &child) == 0) {
		int tag = s->t->dw.dwarf_tag(&child);

		if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
			continue;
		decl_append(&s->d, before);
		before = ", ";
		is_deep = depth >= DECL_DEPTH || ++*s->n_steps > STEPS_MAX;
		if (tag == DW_TAG_unspecified_parameters || is_deep)
			decl_append(&s->d, is_deep ? "…" : "...");
		else
			append_param(s, &child, depth);
	}
	decl_append(&s->d, *before == '(' ? "(void)" : ")");
}

static void append_lengths(struct spelling *s, Dwarf_Die *array)
{
	uint64_t bound;
	char length[32] = "[]";
	Dwarf_Die range;

	for (int more = s->t->dw.dwarf_child(array, &range); more == 0;
	     more = s->t->dw.dwarf_siblingof(&range, &range)) {
		bound = dwarf_count(s->t, &range);
		if (bound)
			snprintf(length, sizeof(length), "[%llu]", (unsigned long long)bound);
		decl_append(&s->d, length);
	}
}

static const char *qualifier(int tag)
{
	return tag == DW_TAG_const_type	     ? "const"
	       : tag == DW_TAG_volatile_type ? "volatile"
	       : tag == DW_TAG_restrict_type ? "restrict"
	       : tag == DW_TAG_atomic_type   ? "_Atomic"
					     : NULL;
}

/* Is the type a pointer, apart from its qualifiers? */
static bool is_pointer_below(const struct spelling *s, Dwarf_Die type)
{
	for (int i = 0; i < DECL_STEPS && qualifier(s->t->dw.dwarf_tag(&type)); i++)
		if (!dwarf_type_of(s->t, &type, &type))
			return false;
	return dwarf_is_pointer(s->t->dw.dwarf_tag(&type));
}

/* Go one step towards the base type. Returns false if *type is the base type. */
static bool step(struct spelling *s, Dwarf_Die *type, int depth)
{
	int tag = s->t->dw.dwarf_tag(type);

	if (dwarf_is_pointer(tag)) {
		if (s->family == FAMILY_RUST && s->t->dw.dwarf_diename(type))
			/* &u8, *const u8: the name of the type contains the reference already */
			return false;
		decl_prepend(&s->d, tag == DW_TAG_pointer_type	   ? "*"
				    : tag == DW_TAG_reference_type ? "&"
								   : "&&");
		s->is_pointer = true;
	} else if (qualifier(tag)) {
		decl_qualify(&s->d, qualifier(tag), is_pointer_below(s, *type));
	} else if (tag == DW_TAG_array_type) {
		decl_bracket(&s->d, &s->is_pointer);
		append_lengths(s, type);
	} else if (tag == DW_TAG_subroutine_type) {
		decl_bracket(&s->d, &s->is_pointer);
		append_params(s, type, depth);
	} else {
		return false;
	}
	return true;
}

/* Go from *type to its base type. Returns false if that is void. */
static bool declare(struct spelling *s, Dwarf_Die *type, int depth)
{
	for (int i = 0; i < DECL_STEPS; i++) {
		if (!step(s, type, depth))
			return true;
		if (!dwarf_type_of(s->t, type, type))
			return false;
	}
	s->d.is_full = true;
	return false;
}

const char *dwarf_declare(const struct dwarf_types *t, Dwarf_Die *of, enum dwarf_family family,
			  const char *name, struct arena *a)
{
	int n_steps = 0;
	struct spelling s = {.t = t, .family = family, .n_steps = &n_steps};
	Dwarf_Die type = of ? *of : (Dwarf_Die){0};
	char bottom[DECL_MIDDLE];
	bool is_void;

	decl_begin(&s.d, name);
	is_void = !of || !declare(&s, &type, 0);
	bottom_name(&s, &type, is_void, bottom, sizeof(bottom));
	return arena_printf(a, "%s%s%s", s.d.qualifiers, bottom, decl_text(&s.d));
}
