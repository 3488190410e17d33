/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the plan share, private to them: plan.c plans probes, plan_prog.c programs,
 * plan_span.c spans, plan_body.c maps and records.
 */
#pragma once
#include "parser/base/diag.h"
#include "parser/lang/ast_query.h"
#include "parser/plan/plan.h"
#include "bpf_helpers/shared.h"

/* The maps that a program or a probe uses: the script's, one bit each, and states of spans. */
struct map_use {
	uint64_t maps[SONDE_MAX_MAPS / 64];
	uint32_t n_spans;
	uint32_t weight;			/* expressions: the length of the code */
	bool has_hits;				/* its program counts them */
	bool has_keys, has_records, has_stacks; /* so it uses some of sonde's own maps */
	bool has_scratch;			/* likewise */
	bool has_scope; /* likewise: it tests the scope, which for spans their start does */
};

/* The maps of each program so far, by plan->progs index. */
struct share {
	struct map_use *progs;
	uint32_t n;
};

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
	bool keeps_result; /* the current probe reads results, also at exits that are jumps */
};

/* What a probe reads from its context. */
struct reads {
	struct arena *arena;
	bool args, probe;
	bool in_record;		 /* the address of a field */
	bool inside;		 /* the time of spans inside (TR_INSIDE) */
	const struct type *call; /* of `call`; or NULL */
	bool reason;
	bool walks;	     /* a user stack by tables */
	bool interrupted;    /* something that belongs to the interrupted thread */
	bool entry_of_point; /* entry() stores something that differs between attach points */
	const struct expr **fields; /* args.FIELD, each name once */
	uint32_t n_fields;
	struct plan_kept_stack *stacks, *kstacks; /* each stack once, without a field */
	uint32_t n_stacks, n_kstacks;
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

/* The event column of builtins.def: lay out the record that a call sends. */
typedef void plan_event_fn(struct planner *pl, struct expr *call);
#define VAR(...)
#define FN(id, sig, where, traits, needs, event, ...) plan_event_fn event;
#define AGG(...)
#include "parser/lang/builtins.def"
/* Append a field of type `t` to a record. */
void plan_add_field(struct planner *pl, struct plan_event *ev, const struct type *t);
/* plan_row.c: add argument `i` of a call as a column: a field, and a piece with its name. */
void plan_add_column(struct planner *pl, struct plan_event *ev, const struct expr *call,
		     uint32_t i);
/* The record that `call` sends is complete; one that is too long is reported. */
void plan_add_event(struct planner *pl, struct expr *call, struct plan_event ev);
/* Set the orders of maps by the argument of --sort. */
void plan_sort(struct planner *pl, const char *list);
/* Lay out a map: its id, key and value. */
void plan_map(struct planner *pl, struct map *map);
/* Plan the records that an expression or a block sends, and what the runtime must provide for
 * it. */
void plan_expr(struct expr *e, void *planner);
void plan_block(struct block *b, void *planner);

/* ---- plan_prog.c ------------------------------------------------------------------------- */

/* The number of a name in the plan; 0 when `name` is NULL. */
uint32_t plan_name_id(struct planner *pl, const char *name);
/* True if the texts are equal, or both are NULL. */
bool plan_is_same(const char *a, const char *b);
/* The value of `probe` at one of several functions. */
const char *plan_target_name(struct planner *pl, const struct attach_point *point,
			     const struct attach_target *t);
/* The program kind of an attach point. */
enum plan_prog_kind plan_prog_choose(const struct planner *pl, const struct probe *p,
				     const struct attach_point *point, const struct reads *r);
/* Append the program `g` and set its symbol, of which `what` is a part, and section. Returns its
 * index. */
uint32_t plan_prog_add(struct planner *pl, struct plan_prog g, const char *what);
/* The kind of the program of all system calls, at their beginning or end. */
enum plan_prog_kind plan_syscall_kind(const struct planner *pl, bool is_enter);
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

/* ---- plan_share.c: how many probes may share a program. The kernel allows a program 64 maps, some
 * of which are sonde's own, and jumps over at most 32767 instructions. */

/* Collect the maps that the predicate, body and entry() of `p` use. */
void share_collect(struct probe *p, const struct plan_map *maps, struct map_use *out);
/* Report a probe that has too many maps even for a program of its own. Maps that only codegen
 * knows of are left to the verifier. */
bool share_check(struct diags *d, const struct probe *p, const struct map_use *use);
/* True when the maps of both ends of a span fit into one program. */
bool share_fits_session(const struct map_use *use);
/* True when a probe that uses `use` fits into program `prog`. */
bool share_fits(const struct share *s, uint32_t prog, const struct map_use *use);
/* Add the probe's maps to program `prog`. */
void share_add(struct share *s, struct arena *a, uint32_t prog, const struct map_use *use);

/* ---- plan_run.c: which probes a run has */

/* True when a run with these options has this attach point of `p`. */
bool plan_runs(const struct plan_options *options, const struct probe *p,
	       const struct attach_point *point);
/* Report a script without any probe for this run. */
void plan_check_run(const struct program *p, const struct plan *plan,
		    const struct plan_options *options, struct diags *d);
/* Report a script that exceeds its own max_probes or max_bpf_progs. */
void plan_check_limits(const struct plan *plan, struct diags *d);
