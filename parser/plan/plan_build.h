/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the plan share, private to them: plan.c plans probes, plan_prog.c programs,
 * plan_span.c spans, plan_body.c maps and records.
 */
#pragma once
#include "parser/lang/ast.h"
#include "parser/plan/plan.h"
#include "parser/plan/plan_share.h"

struct planner {
	struct arena *arena;
	struct diags *diags;
	struct kernel *kernel;
	struct program *program;
	struct plan *plan;
	struct share share;
	struct map_use use; /* of the current probe */
	const struct plan_options *options;
	bool is_iter;	     /* the current probe is an iter probe: the kernel prints */
	struct span divisor; /* of the current probe, as in struct plan_probe */
	bool has_divisors;
};

/* What a probe reads from its context. */
struct reads {
	struct arena *arena;
	bool args, probe;
	bool inside;	     /* the time of spans inside (TR_INSIDE) */
	bool interrupted;    /* something that belongs to the interrupted thread */
	bool entry_of_point; /* entry() stores something that differs between attach points */
	const struct expr **fields; /* args.FIELD, each name once */
	uint32_t n_fields;
	struct plan_kept_stack *stacks; /* each user stack once, without a field */
	uint32_t n_stacks;
	uint32_t n_exprs; /* the number of expressions: the length of the body */
	uint32_t n_entry_exprs;
};

enum {
	SPAN_WEIGHT = 3, /* the verifier explores more paths through expressions of spans */
	RING_BYTES_EVENTS = 8 << 20,   /* a burst of 200,000 records while the reader is away */
	RING_BYTES_STACKS = 256 << 10, /* only the first occurrence of each stack */
};

static inline uint32_t plan_align(uint32_t n, uint32_t align)
{
	return (n + align - 1) / align * align;
}

/* The type in which a value is stored in a record or a span's state: integers are 64 bits wide. */
const struct type *plan_recorded(const struct type *t);
/* The event column of builtins.def: lay out the record that a call sends. */
typedef void plan_event_fn(struct planner *pl, struct expr *call);
#define VAR(...)
#define FN(id, sig, where, traits, needs, event, ...) plan_event_fn event;
#define AGG(...)
#include "parser/lang/builtins.def"
#undef VAR
#undef FN
#undef AGG
/* Lay out a map: its id, key and value. */
/* Set the orders of maps by the argument of --sort. */
void plan_sort(struct planner *pl, const char *list);
void plan_map(struct planner *pl, struct map *map);
/* Plan the records that an expression or a block sends, and what the runtime must provide for
 * it. */
void plan_expr(struct expr *e, void *planner);
void plan_block(struct block *b, void *planner);

/* ---- plan_prog.c ------------------------------------------------------------------------- */

/* The number of a name in the plan; 0 when `name` is NULL. */
uint32_t plan_name_id(struct planner *pl, const char *name);
/* The value of `probe` at one of several functions. */
const char *plan_target_name(struct planner *pl, const struct attach_point *point,
			     const struct attach_target *t);
/* The program kind of an attach point. */
enum plan_prog_kind plan_prog_choose(const struct planner *pl, const struct probe *p,
				     const struct attach_point *point, const struct reads *r);
/* Append the program `g` and set its symbol, of which `what` is a part, and section. Returns its
 * index. */
uint32_t plan_prog_add(struct planner *pl, struct plan_prog g, const char *what);
/* The program for an attach point: a new one, except that probes on system calls share as few as
 * possible. `weight` is what the probe adds to the program's length. */
uint32_t plan_prog_for(struct planner *pl, const struct attach_point *point,
		       enum plan_prog_kind kind, uint32_t weight);
/* Why a span of calls takes a program at each end instead of a session; NULL when it does not. */
const char *plan_prog_pair(const struct planner *pl, const struct plan_prog *g,
			   const struct probe *p);

/* ---- plan_span.c ------------------------------------------------------------------------- */

/* Lay out the state of the spans that end at an attach point of `q`. */
void plan_span(struct planner *pl, struct plan_probe *q, const struct attach_point *point,
	       const struct reads *r);
/* Plan the program in which the spans of probe `id` start, unless it is the probe's own. */
void plan_span_start(struct planner *pl, const struct attach_point *point, uint32_t id,
		     const struct reads *r);
/* open_spans = count: plan a program that iterates over all threads after tracing has ended. */
void plan_span_open(struct planner *pl, uint32_t id);
