/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of dwarf_types share, and nobody else includes: dwarf_types.c finds functions,
 * dwarf_function.c describes one, dwarf_value.c and dwarf_class.c say what its values are made of,
 * dwarf_decl.c how they are declared.
 */
#pragma once
#include "runtime/elf/abi.h"
#include "runtime/elf/dwarf_types.h"
#include "runtime/elf/libdw.h"
#include <dwarf.h>

enum dwarf_family { FAMILY_C, FAMILY_CPP, FAMILY_RUST, FAMILY_GO, FAMILY_OTHER };

struct dwarf_range {
	uint64_t start, end;
	Dwarf_Off unit; /* of its DIE */
};

/* A function's first address, and where it is described. */
struct dwarf_place {
	uint64_t address;
	Dwarf_Die die;
};

struct dwarf_unit {
	Dwarf_CU *cu;
	struct dwarf_place *places; /* by address */
	size_t n, room;
};

struct dwarf_types {
	struct libdw dw;
	Dwarf *dwarf;
	uint16_t machine;
	struct dwarf_unit *units; /* whose functions were looked at */
	size_t n_units;
	struct dwarf_range *ranges; /* of all units; read when the file has no index of them */
	size_t n_ranges;
	bool has_ranges;
};

/* A value as calling conventions and as scripts see it. */
struct dwarf_value {
	struct abi_value abi;
	uint32_t size; /* of a number or an address, else 0 */
	bool is_signed;
	bool is_unknown; /* where it is passed, and what comes after it, cannot be told */
};

/* The type of a parameter, a member, a pointer; false: void. */
bool dwarf_type_of(const struct dwarf_types *t, Dwarf_Die *die, Dwarf_Die *type);
/* Behind names and qualifiers; false: void, or nonsense. *align: what those on the way ask for. */
bool dwarf_plain(const struct dwarf_types *t, Dwarf_Die *type, uint32_t *align);
/* An unsigned attribute, `otherwise` when there is none. */
uint64_t dwarf_number(const struct dwarf_types *t, Dwarf_Die *die, unsigned attribute,
		      uint64_t otherwise);
bool dwarf_flag(const struct dwarf_types *t, Dwarf_Die *die, unsigned attribute);

/* dwarf_value.c */
void dwarf_value_of(const struct dwarf_types *t, Dwarf_Die *type, enum dwarf_family family,
		    struct dwarf_value *out);

/* What addresses of that type are of; levels 0: it is none. */
struct tp_pointee dwarf_pointee(const struct dwarf_types *t, Dwarf_Die *type,
				enum dwarf_family family, struct arena *a);

/* dwarf_class.c: is a class handed over as its address? */
bool dwarf_class_is_by_address(const struct dwarf_types *t, Dwarf_Die *type);

/* dwarf_decl.c: "const char *" and " name", as C spells it; type NULL: void. */
const char *dwarf_declare(const struct dwarf_types *t, Dwarf_Die *type, enum dwarf_family family,
			  const char *name, struct arena *a);

/* dwarf_function.c */
struct typed_function *dwarf_describe(const struct dwarf_types *t, Dwarf_Die *die, uint64_t address,
				      struct arena *a);
