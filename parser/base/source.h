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

/* A range of offsets behind the script's own text: an imported file, or a copy of a macro's text
 * where a call of it was expanded. */
struct source_part {
	uint32_t start, len;
	const struct source *file; /* has the text */
	uint32_t at;		   /* the offset in `file` of its first byte */
	struct span call;	   /* of a copy; SPAN_NONE: a file */
};

struct source_parts {
	struct source_part *items; /* in the order of their offsets */
	uint32_t n;
	uint32_t end; /* the first offset that is free */
};

struct source {
	bool is_file;	  /* name is a path */
	bool is_bundled;  /* a script that comes with sonde */
	bool is_hidden;	  /* of the standard library: messages are about the calls of it */
	const char *name; /* file name as typed; "stdin" for -e, as in bpftrace */
	const char *text; /* with two NULs at the end, which flex requires */
	uint32_t len;
	uint32_t *lines; /* offset of each line's first byte */
	uint32_t n_lines;
	uint32_t base;		    /* of a part: spans in it begin here; 0: the script */
	struct source_parts *parts; /* of the script */
};

struct place {
	const struct source *in; /* the file, for source_line() */
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
/* Give the text of `file` a range of offsets behind those of the script. False when there are none
 * left. */
bool source_add_file(struct arena *a, const struct source *script, struct source *file);
/* The same for a text that was made of `call`. */
bool source_add_expansion(struct arena *a, const struct source *script, struct source *text,
			  struct span call);
/* The same for a copy of the text at `span`, which was expanded from `call`. Returns the first
 * offset, or 0. */
uint32_t source_add_copy(struct arena *a, const struct source *script, struct span span,
			 struct span call);
/* The call that the text at `span` was expanded from. False when it was not. */
bool source_call_of(const struct source *script, struct span span, struct span *call);
/* Do two offsets show the same byte of a text? */
bool source_is_same(const struct source *script, uint32_t x, uint32_t y);
/* The span in the script or an imported file from which the text at `span` was expanded. */
struct span source_root(const struct source *script, struct span span);
/* The same, but only out of texts that are hidden: the place to show for `span`. */
struct span source_shown(const struct source *script, struct span span);
/* Smallest span that holds both. */
struct span span_join(struct span a, struct span b);
/* What to write where a shell did. */
#define SHELL_TAKES_QUOTES                                                                  \
	"a shell removes quotes inside quotes of the same kind: put the program in single " \
	"quotes, texts in double quotes: -e 'PROGRAM'"
/* Did a shell remove the quotes of the texts? The script is of -e and has none. */
bool source_lost_quotes(const struct source *s);
