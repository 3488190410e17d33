/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map as the live view shows it: the texts of its rows, their order, the filter, the row that is
 * selected. Nothing here draws.
 */
#pragma once
#include "runtime/base/vec.h"
#include "runtime/view/view.h"

/* One key or the value of a row. */
struct live_cell {
	const char *text; /* in one line: frames of a stack are joined by " < " */
	const char *full; /* all lines, or NULL */
	uint32_t rank;	  /* its place in the column; equal values have the same */
};

struct live_row {
	struct live_cell *cells; /* n_columns: the value, then the keys */
	uint64_t id;		 /* the same in each refresh */
};

struct live_table {
	const char *name;
	struct arena *arena; /* of the rows */
	struct live_row *rows;
	uint32_t n_rows, n_left_out; /* left out: rows beyond LIVE_ROWS */
	uint32_t n_columns;
	bool is_block;	 /* values are lines, such as histograms: always shown in full */
	bool is_printed; /* by the script, whose last print is shown */
	bool is_fresh;	 /* was read in this round */
	/* What the user chose. */
	uint32_t column;
	bool ascends;
	uint32_t selected, top; /* indexes into `order` */
	VEC(uint32_t) order;	/* rows that the filter lets pass */
	VEC(uint64_t) open;	/* ids of rows that are expanded */
};

enum { LIVE_ROWS = 10000 };

/* Read the rows of a map; those with the largest values when there are too many. 0 or -ENOMEM. */
int live_table_read(struct live_table *t, const struct view_map *m);
/* The map has no rows. */
void live_table_empty(struct live_table *t);
/* Make `order`: rows whose text contains `filter`, in the order of the column. 0 or -ENOMEM. */
int live_table_arrange(struct live_table *t, const char *filter);
/* Expand or fold the selected row. */
void live_table_toggle(struct live_table *t);
bool live_table_is_open(const struct live_table *t, const struct live_row *r);
/* Lines of a row on the screen. */
uint32_t live_table_height(const struct live_table *t, const struct live_row *r);
void live_table_free(struct live_table *t);
