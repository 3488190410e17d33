/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of dwarf_types, shared by dwarf_*.c: dwarf_types.c finds functions, dwarf_function.c
 * describes one and dwarf_result.c its results, dwarf_value.c and dwarf_class.c lay out values,
 * dwarf_decl.c declares them.
 */
#pragma once
#include "runtime/elf/abi.h"
#include "runtime/elf/names.h"
#include "runtime/dwarf/libdw.h"
#include <dwarf.h>

enum dwarf_family { FAMILY_C, FAMILY_CPP, FAMILY_RUST, FAMILY_GO, FAMILY_OTHER };

/* A function's first address and its description. */
struct dwarf_entry {
	uint64_t address;
	Dwarf_Die die;
};

struct dwarf_unit {
	Dwarf_CU *cu;
	Dwarf_Die split; /* has_split: in a .dwo or .dwp file */
	bool has_split;
	bool is_split_off; /* its functions are in a .dwo or .dwp file that is missing */
	VEC(struct dwarf_entry) functions; /* sorted by address */
};

struct dwarf_types {
	struct libdw dw;
	int fd; /* its own descriptor */
	Dwarf *dwarf;
	uint16_t machine;
	VEC(struct dwarf_unit) units; /* the units that were read */
	/* ranges of all units, with the offsets of their DIEs; read if the file has no
	 * .debug_aranges */
	struct libdw_ranges ranges;
	bool has_ranges;
	dwarf_make_type_fn *make_type; /* of values by value; or NULL */
	const char *path;	       /* for make_type */
};

/* The layout of a value, for calling conventions and for scripts. */
struct dwarf_value {
	struct abi_value abi;
	uint32_t size; /* size of a number or an address; 0: something else */
	bool is_signed, is_enum;
	/* its location and those of the following parameters are unknown */
	bool is_unknown;
};

/* A struct, class or union. */
static inline bool dwarf_is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static inline bool dwarf_is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* Set *type to the type of a parameter or member, or to what a pointer points to. False: void. */
bool dwarf_type_of(const struct dwarf_types *t, Dwarf_Die *die, Dwarf_Die *type);
/* Strip typedefs and qualifiers from *type. False: void, or malformed. Raises *align (unless NULL)
 * to the alignment that they require. */
bool dwarf_plain(const struct dwarf_types *t, Dwarf_Die *type, uint32_t *align);
/* An unsigned attribute, `otherwise` if there is none. */
uint64_t dwarf_number(const struct dwarf_types *t, Dwarf_Die *die, unsigned attribute,
		      uint64_t otherwise);
/* The number of elements that a range of an array has; 0: not known. */
static inline uint64_t dwarf_count(const struct dwarf_types *t, Dwarf_Die *range)
{
	uint64_t last = dwarf_number(t, range, DW_AT_upper_bound, UINT64_MAX);

	return dwarf_number(t, range, DW_AT_count, last + 1);
}

bool dwarf_flag(const struct dwarf_types *t, Dwarf_Die *die, unsigned attribute);

/* dwarf_types.c: the unit that contains an address, and the index of its functions. 0, -ESRCH or
 * -ENOMEM. */
int dwarf_types_unit(struct dwarf_types *t, uint64_t address, Dwarf_Die *unit,
		     struct dwarf_unit **out);

/* dwarf_function.c */
enum dwarf_family dwarf_family_of(const struct dwarf_types *t, Dwarf_Die *die);

/* dwarf_scope.c: the namespaces and classes around a type of C++ or Rust: "shop::till::", "::"
 * where there are none; "" in other languages. */
const char *dwarf_scope_of(const struct dwarf_types *t, Dwarf_Die *type, struct arena *a);
/* The type `name` in a unit, which may begin with a scope; without one it is in any namespace. */
bool dwarf_scope_find(const struct dwarf_types *t, Dwarf_Die *unit, const char *name,
		      Dwarf_Die *out);

/* dwarf_value.c */
void dwarf_value_of(const struct dwarf_types *t, Dwarf_Die *type, enum dwarf_family family,
		    struct dwarf_value *out);

/* What a pointer of that type points to; with 0 levels it is not a pointer. */
struct tp_pointee dwarf_pointee(const struct dwarf_types *t, Dwarf_Die *type,
				enum dwarf_family family, struct arena *a);

/* What scripts can know of a parameter or result. */
void dwarf_set_value(const struct dwarf_types *t, struct tp_field *p, Dwarf_Die *type,
		     const struct dwarf_value *v, enum dwarf_family family, struct arena *a);

/* dwarf_result.c: describe what a function returns in f->result, and f->results if these are
 * several. *v: its layout, except of Go. False: nothing. */
bool dwarf_result(const struct dwarf_types *t, Dwarf_Die *function, enum dwarf_family family,
		  struct typed_function *f, struct arena *a, struct dwarf_value *v);
/* Is a parameter in debug information a result of Go? */
bool dwarf_is_go_result(const struct dwarf_types *t, Dwarf_Die *param);

/* dwarf_class.c: is a class passed by address? */
bool dwarf_class_is_by_address(const struct dwarf_types *t, Dwarf_Die *type);

/* dwarf_decl.c: the C declaration of `name` with that type (NULL: void), e.g. "const char
 * *name". */
const char *dwarf_declare(const struct dwarf_types *t, Dwarf_Die *type, enum dwarf_family family,
			  const char *name, struct arena *a);

/* dwarf_function.c */
struct typed_function *dwarf_describe(const struct dwarf_types *t, Dwarf_Die *die, uint64_t address,
				      struct arena *a);
