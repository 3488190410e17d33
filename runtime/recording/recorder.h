/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writer of recordings knows of those things that have a number in a recording: types,
 * calls and stacks. A row is written when one is first seen.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/recording/last_rows.h"
#include "runtime/recording/row.h"
#include "runtime/recording/spool.h"
#include "runtime/recording/value_json.h"

struct recorded_stack {
	uint64_t hash; /* of all that is known of it */
	uint32_t number;
};

HASH_TABLE(recorded_stacks, struct recorded_stack);

struct recorded_call {
	enum plan_event_kind kind;
	struct span span;	 /* PE_PRINT_VALUE: none */
	const struct type *type; /* PE_PRINT_VALUE */
	bool has_pieces;
	const struct plan_event *values; /* PE_SPAN: their names, copied, and types */
};

struct recorder {
	struct stack_numbers numbers; /* first */
	const struct plan *plan;
	struct spool *spool;
	struct last_rows last; /* --last */
	struct row row;	       /* of an event, a span, … */
	struct row other;      /* of what it refers to */
	uint64_t seq;	       /* of the last item */
	uint64_t n_events, n_spans;
	int error; /* the first -errno */
	VEC(const struct type *) types;
	VEC(struct recorded_call) calls;
	VEC(char *) builds;
	struct recorded_stacks stacks;
	uint32_t n_stacks;
	struct arena *arena; /* for names of types */
};

void recorder_init(struct recorder *r, const struct plan *plan);
void recorder_free(struct recorder *r);
/* Hand over the row that was written to `row`. */
void recorder_put(struct recorder *r, struct row *row);
/* Begin a row of `table` in r->row with the next number and the time. */
void recorder_begin(struct recorder *r, enum recording_table table);

uint32_t recorder_type(struct recorder *r, const struct type *t);
/* Append a column with the numbers of `n` types, which are `step` bytes apart. */
void recorder_types(struct recorder *r, const struct type *const *types, uint32_t n, size_t step);
/* The number of a call, of which `e` need not be in the plan. */
uint32_t recorder_call(struct recorder *r, const struct plan_event *e);
/* The number of a print() of values of that type. */
uint32_t recorder_print(struct recorder *r, const struct type *t);
/* The number of a span() with values. */
uint32_t recorder_span(struct recorder *r, const struct view_span *s);
/* Write what is known of the run. */
void recorder_run(struct recorder *r, const struct view_run *run);
/* A fact of the run; none if the value is NULL. */
void recorder_fact(struct recorder *r, const char *name, struct row_column value);
