/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding a function's description by its address. The unit comes from the file's index of
 * addresses (.debug_aranges), which gcc writes and clang does not, or else from the ranges of all
 * units; its functions are indexed when the first is asked for.
 */
#include "runtime/elf/dwarf_types.h"
#include "parser/base/arena.h"
#include "runtime/elf/dwarf_impl.h"
#include <errno.h>
#include <stdlib.h>

enum { NEST_MAX = 16 }; /* namespaces in each other */

struct dwarf_types *dwarf_types_open(int fd, uint16_t machine, int *err)
{
	struct dwarf_types *t = calloc(1, sizeof(*t));
	Dwarf_CU *first = NULL;

	*err = t ? libdw_load(&t->dw) : -ENOMEM;
	if (!*err) {
		t->machine = machine;
		t->dwarf = t->dw.dwarf_begin(fd, DWARF_C_READ);
		if (!t->dwarf ||
		    t->dw.dwarf_get_units(t->dwarf, NULL, &first, NULL, NULL, NULL, NULL) != 0)
			*err = -ENODATA;
	}
	if (!*err)
		return t;
	dwarf_types_close(t);
	return NULL;
}

void dwarf_types_close(struct dwarf_types *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_units; i++)
		free(t->units[i].places);
	free(t->units);
	free(t->ranges);
	if (t->dwarf)
		t->dw.dwarf_end(t->dwarf);
	free(t);
}

/* ---- units --------------------------------------------------------------------------------- */

static int by_start(const void *x, const void *y)
{
	const struct dwarf_range *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

static bool add_range(struct dwarf_types *t, uint64_t start, uint64_t end, Dwarf_Off unit)
{
	size_t n = t->n_ranges;

	if ((n & (n - 1)) == 0) { /* a power of two, or 0: full */
		struct dwarf_range *more = reallocarray(t->ranges, n ? 2 * n : 1, sizeof(*more));

		if (!more)
			return false;
		t->ranges = more;
	}
	t->ranges[t->n_ranges++] = (struct dwarf_range){start, end, unit};
	return true;
}

static void read_ranges(struct dwarf_types *t)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	t->has_ranges = true;
	while (t->dw.dwarf_get_units(t->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		while ((at = t->dw.dwarf_ranges(&die, at, &base, &start, &end)) > 0)
			if (!add_range(t, start, end, t->dw.dwarf_dieoffset(&die)))
				return;
	}
	if (t->n_ranges)
		qsort(t->ranges, t->n_ranges, sizeof(*t->ranges), by_start);
}

static const struct dwarf_range *find_range(const struct dwarf_types *t, uint64_t address)
{
	size_t from = 0, to = t->n_ranges;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (t->ranges[middle].start <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from && address < t->ranges[from - 1].end ? &t->ranges[from - 1] : NULL;
}

static bool unit_of(struct dwarf_types *t, uint64_t address, Dwarf_Die *unit)
{
	const struct dwarf_range *range;

	if (t->dw.dwarf_addrdie(t->dwarf, address, unit))
		return true;
	if (!t->has_ranges)
		read_ranges(t);
	range = find_range(t, address);
	return range && t->dw.dwarf_offdie(t->dwarf, range->unit, unit);
}

/* ---- functions of a unit ------------------------------------------------------------------- */

static int by_address(const void *x, const void *y)
{
	const struct dwarf_place *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void add_place(struct dwarf_types *t, struct dwarf_unit *u, Dwarf_Die *die)
{
	Dwarf_Addr address, base, end;

	if (t->dw.dwarf_entrypc(die, &address) &&
	    t->dw.dwarf_ranges(die, 0, &base, &address, &end) <= 0)
		return; /* declared, or only inlined */
	if (u->n == u->room) {
		size_t room = u->room ? 2 * u->room : 64;
		struct dwarf_place *more = reallocarray(u->places, room, sizeof(*more));

		if (!more)
			return;
		u->places = more;
		u->room = room;
	}
	u->places[u->n++] = (struct dwarf_place){address, *die};
}

static void visit_children(struct dwarf_types *t, struct dwarf_unit *u, Dwarf_Die *parent,
			   int depth)
{
	Dwarf_Die die;

	if (depth > NEST_MAX || t->dw.dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (t->dw.dwarf_tag(&die)) {
		case DW_TAG_subprogram: add_place(t, u, &die); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_enumeration_type: visit_children(t, u, &die, depth + 1); break;
		default: break;
		}
	} while (t->dw.dwarf_siblingof(&die, &die) == 0);
}

/* Of a unit whose information is in a file of its own (.dwo), that one's functions. */
static struct dwarf_unit *index_unit(struct dwarf_types *t, Dwarf_Die *unit)
{
	struct dwarf_unit *more, u = {.cu = unit->cu};
	Dwarf_Die split = {0};

	for (size_t i = 0; i < t->n_units; i++)
		if (t->units[i].cu == unit->cu)
			return &t->units[i];
	more = reallocarray(t->units, t->n_units + 1, sizeof(*more));
	if (!more)
		return NULL;
	t->units = more;
	t->dw.dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
	visit_children(t, &u, split.addr ? &split : unit, 0);
	if (u.n)
		qsort(u.places, u.n, sizeof(*u.places), by_address);
	t->units[t->n_units++] = u;
	return &t->units[t->n_units - 1];
}

int dwarf_types_find(struct dwarf_types *t, uint64_t address, struct arena *a,
		     const struct typed_function **out)
{
	struct dwarf_place key = {.address = address}, *found = NULL;
	struct dwarf_unit *u;
	Dwarf_Die unit;

	u = unit_of(t, address, &unit) ? index_unit(t, &unit) : NULL;
	if (u && u->n)
		found = bsearch(&key, u->places, u->n, sizeof(key), by_address);
	*out = found ? dwarf_describe(t, &found->die, address, a) : NULL;
	return *out ? 0 : -ESRCH;
}

/* ---- attributes ---------------------------------------------------------------------------- */

bool dwarf_type_of(const struct dwarf_types *t, Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return t->dw.dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       t->dw.dwarf_formref_die(&attribute, type);
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
