/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans as trees of calls. A span arrives when it ends, so after those that are part of it. Spans
 * of a thread are kept until its outermost one has ended; then they are arranged and shown.
 */
#pragma once
#include "runtime/base/string_set.h"
#include "runtime/base/vec.h"
#include "runtime/view/view.h"

/* Spans that are kept; when there are more, those of the thread that has the most are shown. */
enum { SPAN_TREES_KEPT = 1 << 20 };

struct span_item {
	const char *name;      /* interned: equal names are one pointer */
	char *values;	       /* the arguments, then the result, "" if there is none; or NULL */
	uint64_t start, whole; /* its place on the clock */
	uint64_t length;       /* without the tracer's own time */
	union {
		uint64_t order; /* until arranged: the number by which it arrived */
		uint64_t self;	/* the length without the spans directly below */
		uint64_t busy;	/* is_shown: the time of all that were outermost */
	};
	uint32_t level; /* 0: outermost */
	uint8_t kind;	/* enum view_span_kind */
	/* as in struct view_span; is_left: `length` and `self` are 0 */
	bool is_call : 1, is_open : 1, is_cut : 1, is_left : 1;
	bool is_shown : 1; /* no span: stands for some that have been shown already */
};

struct span_thread {
	uint32_t pid, tid;
	char comm[17];
	VEC(struct span_item) spans;
};

HASH_TABLE(span_threads, struct span_thread *);

struct span_trees {
	struct span_threads threads;
	struct string_set names;
	size_t n_kept;
	bool shows_values;
	uint64_t n_early; /* spans that were shown before the one that they are part of */
	VEC(uint32_t) path;
	/* Show a thread's spans in the order of their starts, each behind the one it is part of.
	 * May use `path`. 0 or -errno. */
	int (*show)(struct span_trees *t, const struct span_thread *thread);
};

/* Add a span, and show those of its thread if they are complete. 0 or -errno. */
int span_trees_add(struct span_trees *t, const struct view_span *s);
/* Show what is left, and report what was shown too early. 0 or -errno. */
int span_trees_finish(struct span_trees *t);
void span_trees_free(struct span_trees *t);
