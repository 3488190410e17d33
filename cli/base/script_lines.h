/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of text that know the line of the script from which they come: listings of code, and the
 * stages of `sonde explain`.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdbool.h>
#include <stdio.h>

struct arena;
struct source;

struct script_line {
	const char *text;
	uint32_t line;	  /* of the script; 0: none */
	uint32_t part;	  /* in parts; 0: none */
	const char *kind; /* of a token: "number"; or NULL */
};

/* A part of the script, such as an expression: what code is about. */
struct script_part {
	uint32_t line, column; /* where it begins */
	uint32_t start, end;   /* offsets in the script */
	const char *text;      /* one line, perhaps shortened */
};

/* In the order of the script. The first is not used: it stands for none. */
struct script_parts {
	VEC(struct script_part) items;
};

struct script_lines {
	struct arena *arena;		  /* of the texts */
	const struct script_parts *parts; /* or NULL */
	VEC(struct script_line) lines;
};

/* The index of the part that begins at a place; 0: none. */
uint32_t script_part_at(const struct script_parts *parts, uint32_t line, uint32_t column);

/* Add a line. */
void script_lines_add(struct script_lines *t, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Add a line about a part of the script; the column may be 0. */
void script_lines_add_at(struct script_lines *t, uint32_t line, uint32_t column, const char *text);
/* Add the lines of a text, which need not end with a NUL. */
void script_lines_add_text(struct script_lines *t, const char *text, size_t len);
/* Write the lines. is_beside: each change of the script's line is announced by the line itself, and
 * each change of the part by its text. */
void script_lines_write(const struct script_lines *t, const struct source *s, bool is_beside,
			FILE *f);
