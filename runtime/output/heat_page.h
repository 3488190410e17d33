/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page with heat maps: one SVG file that needs no other. A heat map shows a histogram as it
 * changes: a column for each time at which it was printed, a row for each of its buckets, and the
 * darker a cell, the more values are in it. It is complete without scripts; page/heatmap.js shows
 * what the pointer is on.
 */
#pragma once
#include "runtime/base/vec.h"
#include "runtime/view/format.h"

struct heat_cell {
	uint32_t column, bucket;
	uint64_t count;
};

/* One key of a map. */
struct heat_map {
	const char *name; /* "@lat[read]", from malloc */
	const struct type *type;
	bool is_time;
	uint64_t total;
	VEC(struct heat_cell) cells;
};

struct heat_page {
	uint64_t began;	     /* when the first column begins: nanoseconds since 1970 */
	VEC(uint64_t) times; /* when each column ends */
	VEC(struct heat_map) maps;
	char *subject, *script; /* from malloc, or NULL */
};

/* Append the page. 0 or -ENOMEM. */
int heat_page_write(struct heat_page *p, struct text *t);
void heat_page_free(struct heat_page *p);
