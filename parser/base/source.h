/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script's text, and the conversion of byte offsets to file, line and column. AST nodes and
 * diagnostics hold spans; lines and columns are computed when one is printed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct arena;

/* Byte offsets into the text of one source, `end` exclusive. */
struct span {
	uint32_t start, end;
};

#define SPAN_NONE ((struct span){0, 0})

struct source {
	bool is_file;	  /* name is a path */
	const char *name; /* file name as typed; "stdin" for -e, as in bpftrace */
	const char *text; /* with two NULs at the end, which flex requires */
	uint32_t len;
	uint32_t *lines; /* offset of each line's first byte */
	uint32_t n_lines;
};

struct place {
	const char *file;
	uint32_t line, col; /* from 1, col in bytes */
};

/* Source from a text (copied into the arena). NULL with errno EFBIG when longer than
 * LIMIT_SCRIPT_BYTES. */
struct source *source_from_text(struct arena *a, const char *name, const char *text, size_t len);
/* Source from a file, or standard input for "-". NULL with errno. */
struct source *source_from_file(struct arena *a, const char *path);
/* File, line and column of the byte at `offset`. */
struct place source_place(const struct source *s, uint32_t offset);
/* First byte of line `line` (from 1); its length without the newline goes to *len. */
const char *source_line(const struct source *s, uint32_t line, uint32_t *len);
/* Smallest span that holds both. */
struct span span_join(struct span a, struct span b);
