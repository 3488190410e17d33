/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding a function's DIE by address. The compilation unit is found in .debug_aranges, which gcc
 * writes and clang does not, or else in the address ranges of all units. The functions of a unit
 * are indexed when the first of them is looked up.
 */
#include "runtime/elf/names.h"
#include "parser/base/arena.h"
#include "runtime/dwarf/dwarf_impl.h"
#include <unistd.h>

enum { NEST_MAX = 16 }; /* nested namespaces */

struct dwarf_types *dwarf_types_open(int fd, int *err)
{
	struct dwarf_types *t = calloc(1, sizeof(*t));
	GElf_Ehdr h;

	*err = t ? libdw_open(&t->dw, fd, &t->dwarf) : -ENOMEM;
	if (!t)
		close(fd);
	else
		t->fd = fd;
	if (!*err && gelf_getehdr(t->dw.dwarf_getelf(t->dwarf), &h))
		t->machine = h.e_machine;
	if (!*err)
		return t;
	dwarf_types_close(t);
	return NULL;
}

void dwarf_types_make(struct dwarf_types *t, dwarf_make_type_fn *make, const char *path)
{
	t->make_type = make;
	t->path = path;
}

void dwarf_types_close(struct dwarf_types *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->units.n; i++)
		vec_free(&t->units.items[i].functions);
	vec_free(&t->units);
	vec_free(&t->ranges);
	libdw_close(&t->dw, t->dwarf);
	close(t->fd);
	free(t);
}

/* ---- units --------------------------------------------------------------------------------- */

static int read_ranges(struct dwarf_types *t)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (t->dw.dwarf_get_units(t->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		if (!libdw_add_ranges(&t->dw, &die, t->dw.dwarf_dieoffset(&die), UINT64_MAX,
				      &t->ranges))
			return -ENOMEM;
	vec_sort(&t->ranges);
	t->has_ranges = true;
	return 0;
}

static int unit_of(struct dwarf_types *t, uint64_t address, Dwarf_Die *unit)
{
	const struct libdw_range *range;

	if (t->dw.dwarf_addrdie(t->dwarf, address, unit))
		return 0;
	if (!t->has_ranges) {
		vec_free(&t->ranges); /* left over from a failed attempt */
		if (read_ranges(t))
			return -ENOMEM;
	}
	range = libdw_range_at(&t->ranges, address);
	return range && t->dw.dwarf_offdie(t->dwarf, range->at, unit) ? 0 : -ESRCH;
}

/* ---- functions of a unit ------------------------------------------------------------------- */

static int add_function(struct dwarf_types *t, struct dwarf_unit *u, Dwarf_Die *die)
{
	Dwarf_Addr address, base, end;

	if (t->dw.dwarf_entrypc(die, &address) &&
	    t->dw.dwarf_ranges(die, 0, &base, &address, &end) <= 0)
		return 0; /* the function is only declared, or only inlined */
	return vec_push(&u->functions, (struct dwarf_entry){address, *die});
}

static int add_functions(struct dwarf_types *t, struct dwarf_unit *u, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth > NEST_MAX || t->dw.dwarf_child(parent, &die) != 0)
		return 0;
	do {
		switch (t->dw.dwarf_tag(&die)) {
		case DW_TAG_subprogram: err = add_function(t, u, &die); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_enumeration_type: err = add_functions(t, u, &die, depth + 1); break;
		default: break;
		}
	} while (!err && t->dw.dwarf_siblingof(&die, &die) == 0);
	return err;
}

/* Index the functions of a unit, which may be in a separate file. NULL if out of memory. */
static struct dwarf_unit *index_unit(struct dwarf_types *t, Dwarf_Die *unit)
{
	struct dwarf_unit u = {.cu = unit->cu};

	for (size_t i = 0; i < t->units.n; i++)
		if (t->units.items[i].cu == unit->cu)
			return &t->units.items[i];
	u.has_split = libdw_split(&t->dw, unit, &u.split);
	u.is_split_off = !u.has_split && libdw_is_skeleton(&t->dw, unit);
	if (add_functions(t, &u, u.has_split ? &u.split : unit, 0) || vec_push(&t->units, u)) {
		vec_free(&u.functions);
		return NULL;
	}
	vec_sort(&u.functions);
	return &t->units.items[t->units.n - 1];
}

/* Does debug information of the unit have types (unlike that of -g1)? Else a function without a
 * type and parameters is one of which nothing is known. */
static bool has_types(const struct dwarf_types *t, Dwarf_Die *unit)
{
	Dwarf_Die die;

	for (int more = t->dw.dwarf_child(unit, &die); more == 0;
	     more = t->dw.dwarf_siblingof(&die, &die)) {
		if (t->dw.dwarf_tag(&die) == DW_TAG_base_type)
			return true;
	}
	return false;
}

int dwarf_types_unit(struct dwarf_types *t, uint64_t address, Dwarf_Die *unit,
		     struct dwarf_unit **out)
{
	int err = unit_of(t, address, unit);

	if (err)
		return err;
	*out = index_unit(t, unit);
	return *out ? 0 : -ENOMEM;
}

int dwarf_types_find(struct dwarf_types *t, uint64_t address, struct arena *a,
		     const struct typed_function **out)
{
	struct dwarf_entry key = {.address = address}, *found = NULL;
	struct dwarf_unit *u;
	Dwarf_Die unit, type;
	int err = dwarf_types_unit(t, address, &unit, &u);

	*out = NULL;
	if (err)
		return err;
	if (u->functions.n)
		found = bsearch(&key, u->functions.items, u->functions.n, sizeof(key),
				vec_compare_u64);
	*out = found ? dwarf_describe(t, &found->die, address, a) : NULL;
	if (*out && !(*out)->n_params && !dwarf_type_of(t, &found->die, &type) &&
	    !has_types(t, u->has_split ? &u->split : &unit))
		*out = NULL;
	if (*out || !u->is_split_off)
		return *out ? 0 : -ESRCH;
	return libdw_lacks_packages(&t->dw, t->fd) ? -ENOPKG : -ENOLINK;
}

/* ---- attributes ---------------------------------------------------------------------------- */

bool dwarf_type_of(const struct dwarf_types *t, Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die defined;

	if (!t->dw.dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !t->dw.dwarf_formref_die(&attribute, type))
		return false;
	/* The type may only refer to a type unit (-fdebug-types-section). */
	if (t->dw.dwarf_attr(type, DW_AT_signature, &attribute) &&
	    t->dw.dwarf_formref_die(&attribute, &defined))
		*type = defined;
	return true;
}

uint64_t dwarf_number(const struct dwarf_types *t, Dwarf_Die *die, unsigned attribute,
		      uint64_t otherwise)
{
	Dwarf_Attribute a;
	Dwarf_Word n;

	if (!t->dw.dwarf_attr_integrate(die, attribute, &a) || t->dw.dwarf_formudata(&a, &n))
		return otherwise;
	return n;
}

bool dwarf_flag(const struct dwarf_types *t, Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	bool is_set = false;

	return t->dw.dwarf_attr_integrate(die, attribute, &a) &&
	       !t->dw.dwarf_formflag(&a, &is_set) && is_set;
}
