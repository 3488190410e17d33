/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of srcframe: srcframe_unit.c finds units and functions by address, srcframe.c the
 * functions that are inlined there, and the lines.
 */
#pragma once
#include "runtime/dwarf/libdw.h"
#include "runtime/dwarf/srcframe.h"

struct src_unit {
	Dwarf_Off at; /* offset of its DIE */
	bool is_read, has_lines;
	/* debug information of its functions, which may be in a file of their own */
	Dwarf *dwarf;
	/* sorted, with the offsets of their DIEs; valid once the unit was read */
	struct libdw_ranges functions;
};

struct srcframes {
	struct libdw dw;
	int fd;
	Dwarf *dwarf;
	/* line_bytes: size of the line programs that were decoded */
	uint64_t file_bytes, line_bytes;
	uint64_t spent_ns, deadline_ns;
	bool is_read, is_slow;
	VEC(struct src_unit) units;
	struct libdw_ranges ranges;	 /* of units, with their index; sorted */
	char names[SRCFRAMES_MAX][4096]; /* demangled names of the last call */
};

/* Has the call taken too long? */
bool src_is_late(const struct srcframes *s);
/* The unit that contains vaddr, NULL if none does. The first call reads all units. */
struct src_unit *src_unit_at(struct srcframes *s, uint64_t vaddr);
/* Find the function of the unit that contains vaddr. */
bool src_function_at(struct srcframes *s, struct src_unit *u, uint64_t vaddr, Dwarf_Die *out);
