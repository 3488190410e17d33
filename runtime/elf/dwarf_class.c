/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of C++: can one be copied as bytes, or is it handed over as its address (Itanium C++ ABI,
 * 3.1.2.3)? Clang says so. Of gcc's the answer is in what the class declares: a destructor, a copy
 * or move constructor that somebody wrote, something virtual, or a member or base of that kind.
 */
#include "runtime/elf/dwarf_impl.h"
#include <string.h>

enum { NEST_MAX = 16, STEPS_MAX = 10000 };

struct class_facts {
	const struct dwarf_types *t;
	const char *name;
	bool is_written;	      /* one of the functions that count */
	uint32_t n_deleted, n_copies; /* copy and move constructors that are deleted; all */
};

static bool is_virtual(const struct dwarf_types *t, Dwarf_Die *die)
{
	return dwarf_number(t, die, DW_AT_virtuality, DW_VIRTUALITY_none) != DW_VIRTUALITY_none;
}

/* Written somewhere, that is not by the compiler nor `= default` in the class. */
static bool is_written(const struct dwarf_types *t, Dwarf_Die *function)
{
	return !dwarf_flag(t, function, DW_AT_artificial) &&
	       dwarf_number(t, function, DW_AT_defaulted, DW_DEFAULTED_no) != DW_DEFAULTED_in_class;
}

/* The only parameter, but for those that the compiler adds. */
static bool only_param(const struct dwarf_types *t, Dwarf_Die *function, Dwarf_Die *out)
{
	uint32_t n = 0;
	Dwarf_Die child;

	if (t->dw.dwarf_child(function, &child) != 0)
		return false;
	do {
		if (t->dw.dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    dwarf_flag(t, &child, DW_AT_artificial))
			continue;
		*out = child;
		n++;
	} while (t->dw.dwarf_siblingof(&child, &child) == 0);
	return n == 1;
}

static bool same_text(const char *x, const char *y)
{
	return x && y && strcmp(x, y) == 0;
}

/* X(const X &), X(X &&) */
static bool is_copy(const struct class_facts *f, Dwarf_Die *function)
{
	const struct dwarf_types *t = f->t;
	Dwarf_Die type;
	int tag;

	if (!only_param(t, function, &type) || !dwarf_type_of(t, &type, &type) ||
	    !dwarf_plain(t, &type, NULL))
		return false;
	tag = t->dw.dwarf_tag(&type);
	if ((tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type) ||
	    !dwarf_type_of(t, &type, &type) || !dwarf_plain(t, &type, NULL))
		return false;
	return same_text(t->dw.dwarf_diename(&type), f->name);
}

/* "pair" of "pair<int, int>". */
static bool is_constructor(const struct class_facts *f, const char *name)
{
	size_t n = f->name ? strcspn(f->name, "<") : 0;

	return n && name && strncmp(name, f->name, n) == 0 && (!name[n] || name[n] == '<');
}

static void look_at_function(struct class_facts *f, Dwarf_Die *function)
{
	const char *name = f->t->dw.dwarf_diename(function);
	bool is_deleted = dwarf_flag(f->t, function, DW_AT_deleted);

	if (is_virtual(f->t, function))
		f->is_written = true;
	if (name && name[0] == '~')
		f->is_written |= is_written(f->t, function);
	if (!is_constructor(f, name) || !is_copy(f, function))
		return;
	f->n_copies++;
	f->n_deleted += is_deleted;
	f->is_written |= !is_deleted && is_written(f->t, function);
}

/* How far it has come: no file makes it run for long. */
struct progress {
	int depth, n_steps;
};

static bool is_by_address(const struct dwarf_types *t, Dwarf_Die type, struct progress *p);

/* A member's or base's type, behind arrays. */
static bool has_such_part(const struct dwarf_types *t, Dwarf_Die *part, struct progress *p)
{
	Dwarf_Die type;

	if (dwarf_flag(t, part, DW_AT_external) || !dwarf_type_of(t, part, &type) ||
	    !dwarf_plain(t, &type, NULL))
		return false;
	while (t->dw.dwarf_tag(&type) == DW_TAG_array_type)
		if (!dwarf_type_of(t, &type, &type) || !dwarf_plain(t, &type, NULL))
			return false;
	return is_by_address(t, type, p);
}

static bool looks_by_address(const struct dwarf_types *t, Dwarf_Die type, struct progress *p)
{
	struct class_facts f = {.t = t, .name = t->dw.dwarf_diename(&type)};
	Dwarf_Die child;

	if (t->dw.dwarf_child(&type, &child) != 0)
		return false;
	do {
		switch (t->dw.dwarf_tag(&child)) {
		case DW_TAG_subprogram: look_at_function(&f, &child); break;
		case DW_TAG_inheritance:
			f.is_written |= is_virtual(t, &child) || has_such_part(t, &child, p);
			break;
		case DW_TAG_member: f.is_written |= has_such_part(t, &child, p); break;
		default: break;
		}
	} while (!f.is_written && t->dw.dwarf_siblingof(&child, &child) == 0);
	return f.is_written || (f.n_copies && f.n_copies == f.n_deleted);
}

static bool is_by_address(const struct dwarf_types *t, Dwarf_Die type, struct progress *p)
{
	int tag = t->dw.dwarf_tag(&type);
	bool result;

	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
		return false;
	if (p->depth >= NEST_MAX || ++p->n_steps > STEPS_MAX)
		return false;
	switch (dwarf_number(t, &type, DW_AT_calling_convention, 0)) {
	case DW_CC_pass_by_reference: return true;
	case DW_CC_pass_by_value: return false;
	default: break;
	}
	p->depth++;
	result = looks_by_address(t, type, p);
	p->depth--;
	return result;
}

bool dwarf_class_is_by_address(const struct dwarf_types *t, Dwarf_Die *type)
{
	struct progress p = {0};

	return is_by_address(t, *type, &p);
}
