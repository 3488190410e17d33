/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live view on a terminal: draws tables, reads keys. The only file with curses.
 */
#pragma once
#include "runtime/output/live_table.h"

/* The last lines of what the script printed and of messages (live_lines.c). */
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

enum { LIVE_FILTER_BYTES = 128 };

struct live_screen {
	struct live_table *tables;
	uint32_t n_tables, current;
	struct live_lines printed;   /* printed, and messages */
	uint64_t begin_ns, every_ns; /* every_ns: between the last two rounds */
	uint64_t n_spans;	     /* that are not shown */
	char filter[LIVE_FILTER_BYTES];
	bool is_typing; /* the filter */
	bool is_frozen, is_help;
	void *terminal; /* of curses; NULL: not drawing */
};

/* Does the terminal's type allow to draw? False after a message. */
bool live_screen_can_draw(void);
/* Take the terminal over. 0 or -errno. */
int live_screen_open(struct live_screen *s);
/* Give the terminal back as it was. */
void live_screen_close(struct live_screen *s);
void live_screen_draw(struct live_screen *s);
/* Handle the keys that were pressed, and draw. True: the user ends the run. */
bool live_screen_keys(struct live_screen *s);
