/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last lines of what the script printed and of messages, for the live view.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { LIVE_LINES = 64, LIVE_LINE_BYTES = 256 };

struct live_lines {
	char lines[LIVE_LINES][LIVE_LINE_BYTES]; /* line i is at i % LIVE_LINES; cut */
	uint64_t n;				 /* lines so far, with the one that has not ended */
	uint32_t length;			 /* of the last line; 0 at the start of one */
	uint64_t n_ended;
};

/* Append text. */
void live_lines_add(struct live_lines *l, const char *text, size_t n);
/* The last line is `back` = 0. NULL if there is none. */
const char *live_lines_get(const struct live_lines *l, uint32_t back);
