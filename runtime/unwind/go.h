/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for functions that the Go compiler made, from the table of functions in .gopclntab, which is
 * in stripped files, too (Go 1.18 and later; files of older ones have no rows). Go has no
 * .eh_frame, and frame pointers, but its functions without a frame have none: the caller of a
 * function like futex() would be missing. The table has the distance from rsp to the return address
 * for each instruction.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi;
struct pack;
struct unwind_rules;

/* A .gopclntab, checked by go_add_functions(). */
struct go_table {
	const uint8_t *bytes;
	size_t n;
	uint64_t names, distances, functions; /* offsets of its parts */
	uint32_t n_functions;
	uint32_t flags_at; /* offset in the description of a function */
	/* Reads code of the file, at an address as linked: to `out`, at most n bytes. Returns their
	 * number. */
	size_t (*read_code)(void *file, uint64_t address, uint8_t *out, size_t n);
	void *file;
};

enum { GO_TEXT_AT = 24 }; /* offset in a .gopclntab of the address of the code */

/* Does a .gopclntab of a known form start there? It may be shorter than `n` bytes. */
bool go_is_table(const uint8_t *bytes, size_t n);
/* Add the functions of the section `bytes` to c, which refers to *t from then on; its read_code and
 * file are set. The code starts at `text` if the table does not say where (in a file that is
 * position-independent); `entry` is the file's entry point. What is not of a known form is ignored.
 * 0 or -ENOMEM, -EFBIG. */
int go_add_functions(struct cfi *c, struct go_table *t, const uint8_t *bytes, size_t n,
		     uint64_t text, uint64_t entry);
/* Pack the rows for code from `start` to `end` of the function that is described at offset
 * `function`. 0 or -errno. */
int go_pack_function(const struct go_table *t, uint32_t function, uint64_t start, uint64_t end,
		     struct unwind_rules *rules, struct pack *out);
