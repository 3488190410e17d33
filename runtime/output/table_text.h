/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows as an aligned table: a header, then columns that are as wide as their contents. Widths begin
 * with what most values of a type need. A longer value makes its column wider from then on, unless
 * it is much longer: then only its line is. The header comes first, and where another table or
 * other lines were between; on a terminal also after each screenful, and when a width has changed.
 */
#pragma once
#include "parser/base/limits.h"
#include "runtime/base/text_buffer.h"
#include "runtime/view/view.h"

struct table_text {
	struct text_grown cells; /* of a row, one behind the other */
	uint32_t table;		 /* 1 + the one whose header came last; 0: none */
	uint32_t widths[LIMIT_CALL_ARGS];
	uint32_t lines;	 /* since the header */
	uint32_t screen; /* the lines of the terminal but one */
	int fd;		 /* of the terminal that shows it; -1: none */
};

/* `fd` is where the text goes. It is freed by text_grown_free(&w->cells). */
void table_text_init(struct table_text *w, int fd, bool is_terminal);
/* Append the row to `t`. 0 or -ENOMEM. */
int table_text_row(struct table_text *w, struct text *t, const struct plan_event *e,
		   const struct view *fields);
/* Other lines follow: the next row has a header. */
static inline void table_text_end(struct table_text *w)
{
	w->table = 0;
}
/* A value as text in one line. `time_unit`: as in struct format_piece. */
void table_text_cell(struct text *t, uint32_t time_unit, const struct view *v);
