/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of spans as text, in the layout of function graph tracers.
 */
#pragma once
#include "runtime/view/format.h"
#include "runtime/view/span_trees.h"

/* What has been written so far. */
struct span_text {
	bool has_head, has_tid; /* the names of the columns, a column with thread ids */
	uint32_t tid;		/* of the last tree */
};

/* A length: "1.234 us", "12.345 ms", "1.000 s". */
void format_length(struct text *t, uint64_t ns);
/* The same of a sum over calls; "-" if none of them has a time. */
void format_length_of(struct text *t, uint64_t ns, uint64_t n_calls);
/* 0 or -ENOMEM. */
int format_span_tree(struct text *t, struct span_text *state, struct span_trees *trees,
		     const struct span_thread *thread);
