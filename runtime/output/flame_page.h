/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page with flame graphs: one SVG file that needs no other. Several graphs are side by side. The
 * drawing is complete without scripts; page/flamegraph.js adds zoom, search and keys.
 *
 * A page that compares two runs draws both in one tree: a box is as wide as both together, so what
 * only one of them has is visible, and its colour says what has changed (flame_changes.def).
 */
#pragma once
#include "runtime/view/call_tree.h"
#include "runtime/view/format.h"

struct flame_graph {
	const char *name;
	bool is_time;	  /* values are nanoseconds */
	const char *unit; /* what else they are, as "samples"; NULL: numbers */
	struct call_tree tree;
	double x, width; /* of the whole drawing's width, 0 to 1 */
};

struct flame_page {
	VEC(struct flame_graph) graphs;
	char *subject, *script; /* what was traced, and by which script; from malloc, or NULL */
	bool is_difference;	/* between what the nodes had before and have now */
};

/* Append the page. 0 or -ENOMEM. */
int flame_page_write(struct flame_page *p, struct text *t);
void flame_page_free(struct flame_page *p);
