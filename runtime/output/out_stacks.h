/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the writers of stacks and spans: maps with stacks, or spans, go to the output,
 * everything else that a script prints is text on standard error.
 */
#pragma once
#include "runtime/output/out_file.h"

struct out_stacks {
	struct out_file file; /* first: the callbacks get a pointer to it */
	struct out *text;     /* standard error */
	bool is_named;	      /* several maps may have stacks: their names are shown */
	/* A map with stacks. 0 or -errno. NULL: the format has none. */
	int (*map)(struct out_stacks *s, const struct view_map *m);
};

/* 0 or -errno. `s` is zeroed. */
int out_stacks_init(struct out_stacks *s, FILE *f, const struct plan *plan,
		    int (*map)(struct out_stacks *s, const struct view_map *m));
/* Has the script a map with a stack in its key, or span()? */
bool out_stacks_are_in(const struct plan *plan);
bool out_spans_are_in(const struct plan *plan);
/* Write what is left. */
void out_stacks_close(struct out_stacks *s);
