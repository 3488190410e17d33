/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of maps with stacks as one tree of calls, for the formats that draw or list stacks.
 * A row's path from the root: the other parts of its key, its user stack, its kernel stack,
 * both from the outermost frame inward. Rows with the same path are one, so addresses in the
 * same function count as that function.
 */
#pragma once
#include "parser/base/escape.h"
#include "runtime/view/span_trees.h"
#include "runtime/view/stack_key.h"

/* What a node stands for: its colour in a flame graph. */
enum call_kind {
#define CALL_KIND(id, ...) CALL_##id,
#include "runtime/view/call_kinds.def"
	CALL_KIND_COUNT,
};

/* Levels that are shown: text is indented by them, folded stacks have them in each line. */
enum { CALL_DEPTH_MOST = 2000 };

struct call_node {
	const char *name; /* escaped: as it is shown */
	enum call_kind kind;
	uint32_t depth; /* below the root; CALL_DEPTH_MOST stands for all that is deeper */
	uint32_t parent, child, next; /* indexes; 0: none, as the root is neither child nor next */
	uint64_t calls, left;	      /* spans; of these, calls without a time */
	uint64_t self;		      /* of the rows that end here */
	uint64_t total;		      /* with all below; set by call_tree_finish() */
	/* The same in the run that this one is compared with; else 0. */
	uint64_t self_before, total_before;
};

HASH_TABLE(call_table, uint32_t);

struct call_tree {
	VEC(struct call_node) nodes; /* [0] is the root */
	struct call_table table;     /* indexes, by parent, kind and name */
	struct string_set names;
};

/* An empty tree whose root has that name. 0 or -ENOMEM. */
int call_tree_init(struct call_tree *t, const char *root);
/* Add the rows of a map below `parent`. Negative values are left out. 0 or -ENOMEM. */
int call_tree_add(struct call_tree *t, uint32_t parent, const struct view_map *m);
/* Add a thread's spans below `parent`, each with the time of its own. 0 or -ENOMEM. */
int call_tree_add_spans(struct call_tree *t, uint32_t parent, struct span_trees *trees,
			const struct span_thread *thread);
/* What a span of that kind (enum view_span_kind) stands for. */
enum call_kind call_kind_of_span(uint8_t kind);
/* The child of `parent` with that name, escaped by `set` (ESCAPE_MESSAGE if it is escaped already,
 * else ESCAPE_NAME). It is made if there is none; below CALL_DEPTH_MOST it is
 * the parent. 0 without memory. */
uint32_t call_tree_child(struct call_tree *t, uint32_t parent, enum call_kind kind,
			 enum escape_set set, const char *name);
/* The node after `at` in depth-first order, 0 at the end; children of `at` come only if `descends`.
 * *level: how many nodes are on the way to it. */
uint32_t call_tree_next(const struct call_tree *t, uint32_t at, bool descends, uint32_t *level);
/* Sort children by name, and set the totals. 0 or -ENOMEM. */
int call_tree_finish(struct call_tree *t);
void call_tree_free(struct call_tree *t);
