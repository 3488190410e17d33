/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of formatted text: pieces are collected, then laid out with indentation and breaks.
 * Private to fmt*.c.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct arena;

/* A part of a line that is never broken. */
struct piece {
	const char *text;
	uint32_t len;
	uint32_t depth;	 /* brackets open around it */
	bool has_space;	 /* a space separates it from the piece before it */
	bool may_break;	 /* a line may end before it */
	bool must_break; /* a line ends before it */
};

struct fmt_lines {
	struct arena *arena;
	FILE *out;
	struct piece *pieces;
	uint32_t n;
	uint32_t indent; /* tabs */
	bool is_open;	 /* the last line printed has no newline yet */
	bool wants_blank;
	bool begins_block; /* no blank line here */
};

/* Add a piece to the line that is being collected. */
void fmt_add(struct fmt_lines *l, struct piece p);
/* Print the collected line, without its newline: a comment can still follow on it. */
void fmt_flush(struct fmt_lines *l);
/* Begin a new line for text that is printed as it is: end the open line, print the blank line that
 * is due, and the indentation. */
void fmt_begin(struct fmt_lines *l);
/* End the open line. */
void fmt_end(struct fmt_lines *l);
/* A comment. Continuation lines that begin with '*' are aligned below the comment's first '*'. */
void fmt_comment(struct fmt_lines *l, const char *text, uint32_t len);
