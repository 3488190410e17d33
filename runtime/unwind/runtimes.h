/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpreters whose frames take the place of those of their C functions on stacks: which files
 * have one, and which parts of the code run it. The rows are in bpf_helpers/runtimes.def, the walk
 * in bpf_helpers/unwind_run.bpf.c.
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/unwind_v8.h"
#include <stdbool.h>
#include <stdint.h>

struct cfi;
struct elf_file;
struct elfsym;

/* Numbers of rows of runtimes.def. */
enum unwind_runtime {
	UNWIND_NO_RUNTIME,
#define RUNTIME(id, ...) UNWIND_##id,
#include "bpf_helpers/runtimes.def"
	UNWIND_RUNTIME_COUNT,
};
_Static_assert((int)UNWIND_RUNTIME_COUNT < (int)UNWIND_LAYOUTS, "four bits, and 15 is none");

enum { UNWIND_RUN_PARTS = 8 };

/* The code of the function that interprets: itself, and its parts that are not executed often. */
struct unwind_run_code {
	enum unwind_runtime runtime; /* UNWIND_NO_RUNTIME: the file has none */
	struct {
		uint64_t start, end;
	} parts[UNWIND_RUN_PARTS];
	uint32_t n_parts;
	uint64_t variable; /* of struct unwind_table */
	uint64_t from;	   /* instructions before it get no mark; 0: all get one */
};

/* The row of runtimes.def of version `version` whose frames are of that kind; UNWIND_NO_RUNTIME:
 * there is none. */
enum unwind_runtime unwind_runtime_row(uint32_t kind, uint32_t version,
				       const struct unwind_layout **out);

/* Find the runtime of a file whose call frame information is in `c`. Nothing is trusted, and
 * nothing guessed: a runtime whose own data disagree with its row is none. Returns 0 or -ENOMEM. */
int unwind_runtime_find(const struct elf_file *f, const struct cfi *c, struct unwind_run_code *out);
/* Is it PHP? Sets the runtime, its first part and its variable. Returns 0 or -ENOMEM. */
int unwind_runtime_find_php(const struct elf_file *f, struct unwind_run_code *out);
/* The same for Perl. */
int unwind_runtime_find_perl(const struct elf_file *f, struct unwind_run_code *out);
typedef void unwind_runtime_version(const struct elf_file *f, struct elfsym *e,
				    struct unwind_run_code *out);
/* The same for a file that exports the function `name`, its first part, and the function `other`;
 * `find` sets the runtime and its variable. */
int unwind_runtime_find_export(const struct elf_file *f, const char *name, const char *other,
			       unwind_runtime_version *find, struct unwind_run_code *out);
/* Which of these offsets does the function read memory at, by a register? Returns a set of bits. */
uint32_t unwind_runtime_reads_at(const struct elf_file *f, struct elfsym *e, const char *name,
				 const uint64_t *offsets, uint32_t n);
/* Is it V8? Sets what the walk needs of it, or 0; then *unknown is the variable that is missing or
 * unexpected. Returns 0 or -ENOMEM. */
int unwind_runtime_find_v8(const struct elf_file *f, struct unwind_v8 *out, const char **unknown);
/* Read the file's symbols: *out is NULL if it has none. Returns 0 or -ENOMEM. */
int unwind_runtime_symbols(const struct elf_file *f, struct elfsym **out);
/* Does the filter of the file's .gnu.hash let the name pass? */
bool unwind_runtime_may_export(const struct elf_file *f, const char *name);
/* Add a part of the interpreter's function; those beyond UNWIND_RUN_PARTS are left out. */
void unwind_run_code_add(struct unwind_run_code *out, uint64_t start, uint64_t end);
/* Does that code contain the address? */
bool unwind_run_code_has(const struct unwind_run_code *r, uint64_t address);
