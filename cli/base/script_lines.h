/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of text that know the line of the script from which they come: listings of code, and the
 * stages of `sonde explain`.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arena;
struct source;

struct script_line {
	const char *text;
	uint32_t line; /* of the script; 0: none */
};

struct script_lines {
	struct arena *arena; /* of the texts */
	VEC(struct script_line) lines;
};

/* Add a line. */
void script_lines_add(struct script_lines *t, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Add the lines of a text, which need not end with a NUL. */
void script_lines_add_text(struct script_lines *t, const char *text, size_t len);
/* Write the lines. is_beside: each change of the script's line is announced by the line itself. */
void script_lines_write(const struct script_lines *t, const struct source *s, bool is_beside,
			FILE *f);
