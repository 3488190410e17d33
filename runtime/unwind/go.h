/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes rows for functions that the Go compiler made, from the table of functions in .gopclntab.
 * Stripped files have it too. Supported are files of Go 1.18 and later; functions of older ones get
 * no rows. Go files have no .eh_frame. Go maintains frame pointers, but functions without a frame
 * do not set one, so a walk by frame pointers misses the caller of a function like futex(). The
 * table has the distance from rsp to the return address for each instruction.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi;
struct pack;
struct unwind_machine;
struct unwind_rules;

/* A .gopclntab, checked by go_add_functions(). */
struct go_table {
	const struct unwind_machine *machine;
	const uint8_t *bytes;
	size_t n;
	uint64_t names, distances, functions; /* offsets of the parts of the table */
	uint32_t n_functions;
	uint32_t code_unit; /* bytes of an instruction: 1 on x86-64, 4 on arm64 */
	uint32_t flags_at;  /* offset in the description of a function */
	/* Read code of the file at an address as linked, at most n bytes, to `out`. Returns their
	 * number. */
	size_t (*read_code)(void *file, uint64_t address, uint8_t *out, size_t n);
	void *file;
};

/* offset of the word in a .gopclntab that holds the address of the code */
enum { GO_TEXT_AT = 24 };

/* Does a .gopclntab of a known format start at `bytes`? The table may be shorter than `n` bytes. */
bool go_is_table(const uint8_t *bytes, size_t n);
/* Add the functions of the section `bytes` to c, which refers to *t from then on. The caller has
 * set t->read_code and t->file. The code starts at `text` if the table does not say where (in a
 * position-independent file); `entry` is the file's entry point. Data of an unknown format is
 * ignored. Returns 0, -ENOMEM or -EFBIG. */
int go_add_functions(struct cfi *c, struct go_table *t, const uint8_t *bytes, size_t n,
		     uint64_t text, uint64_t entry);
/* Pack the rows for code from `start` to `end` of the function that is described at offset
 * `function`. Returns 0 or -errno. */
int go_pack_function(const struct go_table *t, uint32_t function, uint64_t start, uint64_t end,
		     struct unwind_rules *rules, struct pack *out);
