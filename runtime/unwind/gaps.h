/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps: code of an ELF file that has no call frame information, such as functions of musl and of
 * assembly. Its instructions are decoded (code_rows.h) if that is worth the time, which is 0.2 us
 * each.
 */
#pragma once
#include <stdbool.h>
#include "runtime/base/vec.h"

struct elf_file;
struct pack;
struct unwind_machine;
struct unwind_rules;

struct gap {
	uint64_t start, end, offset; /* offset in the file */
};

enum { GAPS_SECTIONS = 64 }; /* executable ones; compilers make 5 */

struct gaps {
	struct elf_file *f;
	const struct unwind_machine *machine;
	uint32_t sections[GAPS_SECTIONS], n_sections;
	VEC(struct gap) list;
	size_t n_packed;
	bool lacks_decoder;   /* a gap has no rows, since instructions cannot be decoded here */
	VEC(uint64_t) starts; /* addresses of functions */
};

/* Begin with a file: find its executable sections. */
void gaps_begin(struct gaps *g, struct elf_file *f, const struct unwind_machine *machine);
/* There is no information from `start` to `end`, not included. Returns 0 or -ENOMEM. */
int gaps_add(struct gaps *g, uint64_t start, uint64_t end);
/* All gaps were added. Returns 0 or -ENOMEM. */
int gaps_end(struct gaps *g);
/* Pack rows for the gaps that start before an address and were not packed yet. Returns 0 or
 * -errno. */
int gaps_pack(struct gaps *g, uint64_t before, struct unwind_rules *rules, struct pack *out);
void gaps_free(struct gaps *g);
