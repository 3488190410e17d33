/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of dwp.c and dwp_image.c: the parts of a unit, and the ELF image that is made of them.
 */
#pragma once
#include "runtime/dwarf/libdw.h"
#include <stdint.h>

/* Sections of a package that are divided among its units. */
enum dwp_section {
	DWP_INFO,
	DWP_ABBREV,
	DWP_STR_OFFSETS,
	DWP_LOC,
	DWP_LOCLISTS,
	DWP_RNGLISTS,
	DWP_TYPES, /* DWARF 4: type units; in DWARF 5 they are in DWP_INFO */
	DWP_SECTIONS,
};

struct dwp_parts {
	bool is_gnu; /* DWARF 4 with GNU's extensions */
	struct bytes sections[DWP_SECTIONS];
	struct bytes str; /* strings of the whole package */
	/* Units of types that have the same abbreviations and strings. */
	const struct bytes *types;
	size_t n_types;
	struct bytes addr, ranges; /* sections of the program, from the unit's base on */
	uint64_t low_pc;	   /* low_pc of the skeleton: ranges and locations count from it */
};

/* An ELF file in memory whose debug sections are the parts; NULL: they are damaged, or there is no
 * memory. The caller frees it. */
void *dwp_image(const struct dwp_parts *p, uint16_t machine, size_t *size);
