/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units and functions by address: see srcframe_impl.h. The units of a file are read at the first
 * lookup, the functions of a unit when an address in it is first looked up.
 */
#include "runtime/dwarf/srcframe_impl.h"
#include "runtime/base/clock.h"
#include <dwarf.h>

enum {
	UNITS_MAX = 1 << 18,
	NEST_MAX = 16, /* nested namespaces */
};

bool src_is_late(const struct srcframes *s)
{
	return monotonic_ns() > s->deadline_ns;
}

static void read_units(struct srcframes *s)
{
	Dwarf_Off at = 0, next;
	Dwarf_Die die;
	size_t head;

	s->is_read = true;
	for (; s->units.n < UNITS_MAX && !src_is_late(s) &&
	       s->dw.dwarf_nextcu(s->dwarf, at, &next, &head, NULL, NULL, NULL) == 0;
	     at = next) {
		if (!s->dw.dwarf_offdie(s->dwarf, at + head, &die) ||
		    (s->dw.dwarf_tag(&die) != DW_TAG_compile_unit &&
		     s->dw.dwarf_tag(&die) != DW_TAG_skeleton_unit))
			continue;
		if (!libdw_add_ranges(&s->dw, &die, s->units.n, s->deadline_ns, &s->ranges) ||
		    vec_push(&s->units, (struct src_unit){.at = at + head}))
			break;
	}
	vec_sort(&s->ranges);
}

struct src_unit *src_unit_at(struct srcframes *s, uint64_t vaddr)
{
	const struct libdw_range *r;

	if (!s->is_read)
		read_units(s);
	r = libdw_range_at(&s->ranges, vaddr);
	return r && r->at < s->units.n ? &s->units.items[r->at] : NULL;
}

/* Can a DIE of that kind contain functions? Classes can if they are local: lambdas are functions of
 * such a class. */
static bool holds_functions(int tag, int parent)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram: return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_lexical_block:
		return parent == DW_TAG_subprogram || parent == DW_TAG_lexical_block;
	default: return false;
	}
}

/* Collect the functions below a DIE. */
static void read_functions(struct srcframes *s, struct src_unit *u, Dwarf_Die *parent, int depth)
{
	int parent_tag = s->dw.dwarf_tag(parent);
	Dwarf_Die die;
	int more = s->dw.dwarf_child(parent, &die);

	for (; more == 0 && !src_is_late(s); more = s->dw.dwarf_siblingof(&die, &die)) {
		int tag = s->dw.dwarf_tag(&die);

		if (tag == DW_TAG_subprogram &&
		    !libdw_add_ranges(&s->dw, &die, s->dw.dwarf_dieoffset(&die), s->deadline_ns,
				      &u->functions))
			return;
		if (depth < NEST_MAX && holds_functions(tag, parent_tag))
			read_functions(s, u, &die, depth + 1);
	}
}

bool src_function_at(struct srcframes *s, struct src_unit *u, uint64_t vaddr, Dwarf_Die *out)
{
	const struct libdw_range *r;
	Dwarf_Die die, split;

	if (!u->is_read) {
		u->is_read = true;
		u->dwarf = s->dwarf;
		if (s->dw.dwarf_offdie(s->dwarf, u->at, &die)) {
			if (libdw_split(&s->dw, &die, &split)) {
				u->dwarf = s->dw.dwarf_cu_getdwarf(split.cu);
				die = split;
			}
			read_functions(s, u, &die, 0);
		}
		vec_sort(&u->functions);
	}
	r = libdw_range_at(&u->functions, vaddr);
	return r && s->dw.dwarf_offdie(u->dwarf, r->at, out);
}
