/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the plan share, and nobody else includes: plan.c has probes and the whole,
 * plan_prog.c programs, plan_span.c spans, plan_body.c maps, records and what a body needs.
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
	struct map_use use; /* of the probe under way */
	enum plan_run run;
	bool is_iter; /* the probe under way is one: the kernel prints */
};

/* What a probe reads of its context. */
struct reads {
	struct arena *arena;
	bool ustack, args, probe;
	bool interrupted;	    /* something of what runs when the probe fires */
	bool entry_of_point;	    /* entry() holds what differs between attach points */
	const struct expr **fields; /* args.FIELD, each name once */
	uint32_t n_fields;
	uint32_t *limits; /* of ustack(n) */
	uint32_t n_limits;
	uint32_t n_exprs; /* all there are: how long the body is */
	uint32_t n_entry_exprs;
};

enum {
	SPAN_WEIGHT = 3,	     /* the verifier walks more ways through expressions of spans */
	RING_BYTES_EVENTS = 8 << 20, /* a burst of 200,000 records while the reader is away */
	RING_BYTES_STACKS = 256 << 10, /* first sightings of stacks only */
};

static inline uint32_t plan_align(uint32_t n, uint32_t align)
{
	return (n + align - 1) / align * align;
}

/* What an integer becomes in a record or a span's state: 64 bits of its sign. */
const struct type *plan_recorded(const struct type *t);
/* Lay out a map: its id, key and value. */
void plan_map(struct planner *pl, struct map *map);
/* The records that an expression or a block sends, and what the runtime must provide for it. */
void plan_expr(struct expr *e, void *planner);
void plan_block(struct planner *pl, struct block *b);

/* ---- plan_prog.c ------------------------------------------------------------------------- */

/* A name's number in the plan; 0 when there is none. */
uint32_t plan_name_id(struct planner *pl, const char *name);
/* The value of `probe` at one of many functions. */
const char *plan_target_name(struct planner *pl, const struct attach_point *point,
			     const struct attach_target *t);
/* What kind of program a probe becomes at an attach point. */
enum plan_prog_kind plan_prog_choose(const struct planner *pl, const struct probe *p,
				     const struct attach_point *point, const struct reads *r);
/* A program `g`, with its symbol and section; `what` is a word of the symbol. Returns its index. */
uint32_t plan_prog_add(struct planner *pl, struct plan_prog g, const char *what);
/* Program for an attach point: a new one, but all system calls' probes share two, or as few as can
 * hold them; `weight` is what it adds to the program's length. */
uint32_t plan_prog_for(struct planner *pl, const struct attach_point *point,
		       enum plan_prog_kind kind, uint32_t weight);
/* The slower way that is left to spans of calls without a session, and why; or NULL. */
const char *plan_prog_pair(const struct planner *pl, const struct plan_prog *g,
			   const struct probe *p);

/* ---- plan_span.c ------------------------------------------------------------------------- */

/* Lay out the state of the spans that end at an attach point of `q`. */
void plan_span(struct planner *pl, struct plan_probe *q, const struct attach_point *point,
	       const struct reads *r);
/* The program in which the spans of probe `id` start, when it is another than the probe's own. */
void plan_span_start(struct planner *pl, const struct attach_point *point, uint32_t id,
		     const struct reads *r);
/* open_spans = count: a program that goes over all threads when tracing has ended. */
void plan_span_open(struct planner *pl, uint32_t id);
