/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwind table of an ELF file: its call frame information (.eh_frame, .debug_frame), or where
 * that is missing its instructions, as rows in the format of bpf_helpers/unwind.h, in pieces of at
 * most UNWIND_CHUNK_WORDS words. For x86-64, i386 and arm64.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/unwind_v8.h"

struct unwind_rules;

/* A piece: the rows for the code from `start`, a multiple of UNWIND_BLOCK_BYTES, up to `end`, which
 * is not included. Addresses are as linked. */
struct unwind_piece {
	uint64_t start, end;
	uint32_t *words;
	uint32_t n_words;
};

/* A segment of executable code: which address its file offset is linked to. */
struct unwind_segment {
	uint64_t address, file_offset, bytes;
};

struct unwind_table {
	struct unwind_piece *pieces; /* sorted, without overlap; code outside of them has no rows */
	uint32_t n_pieces;
	struct unwind_segment *segments;
	uint32_t n_segments;
	uint64_t n_rows;	/* 0: there is nothing to make rows of */
	uint64_t n_unsupported; /* rows, among these, that the walk does not support */
	uint64_t n_refused; /* records of functions that could not be decoded: they have no rows */
	bool is_go;
	uint32_t runtime; /* the row of runtimes.def of the interpreter in the file; 0: none */
	/* address of the variable that leads to its frames, or below UNWIND_SLOT_MOST: where in its
	 * C frame a variable does; 0: none */
	uint64_t runtime_variable;
	struct unwind_v8 v8;	/* of the V8 in the file; v8.runtime 0: none */
	const char *v8_unknown; /* the variable of V8 that is missing or unexpected */
	/* rows are missing: there was no room for their rules, or no decoder of instructions */
	bool is_partial;
};

/* Read the ELF file behind fd; its rules are added to `rules`. Returns 0 and a table, which the
 * caller frees; or -errno, and nothing to free: -ENOEXEC (not a program or library for one of
 * these machines), -ENOMEM and others. */
int unwind_table_read(int fd, struct unwind_rules *rules, struct unwind_table *out);
void unwind_table_free(struct unwind_table *t);
