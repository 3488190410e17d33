/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer's own time in spans of user functions, if the script subtracts it (config calibrate;
 * bpf_helpers/cost.bpf.c). For other probes these functions generate nothing.
 */
#include "codegen/gen_cost.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"
#include <linux/bpf.h>

static bool is_measured(const struct gen *g)
{
	return g->probe.plan->state.before;
}

static bool is_goroutine(const struct gen *g)
{
	return g->probe.plan->state.kind == SPAN_GOROUTINE;
}

static bool is_any_measured(const struct gen *g)
{
	for (uint32_t i = 0; i < g->plan->n_probes; i++)
		if (g->plan->probes[i].state.before)
			return true;
	return false;
}

/* Is the program a probe without a span on a user function, so that its time is part of the spans
 * around it? */
static bool is_plain(const struct gen *g)
{
	const struct plan_prog *p = g->prog.plan;

	return prog_kind_is(p->kind, PK_USER_FUNCTION) && !prog_kind_is(p->kind, PK_USDT) &&
	       p->n_probes && g->plan->probes[p->probes[0]].state.kind == SPAN_NO &&
	       is_any_measured(g);
}

void cost_clock(struct gen *g)
{
	const struct plan_prog *p = g->prog.plan;
	const uint32_t *first = p->n_probes ? p->probes : p->n_starts ? p->starts : NULL;
	bool is_call = prog_kind_is(p->kind, PK_USER_FUNCTION) && first &&
		       g->plan->probes[*first].state.before;

	g->prog.began = is_call || is_plain(g) ? span_clock(g) : NULL;
}

void cost_leave(struct gen *g)
{
	if (!is_plain(g))
		return;
	g->body.current = NULL; /* body.current was fetched on one of the paths only */
	GEN_CALL(g, "sonde_cost_plain", gen_task(g), gen_whole_cookie(g), g->prog.began);
}

LLVMValueRef cost_open(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef cost;

	if (!is_measured(g))
		return NULL;
	cost = GEN_CALL(g, "sonde_cost_open", gen_task(g), span_probe_id(g));
	span_only_if(g, cost, out);
	return cost;
}

static LLVMValueRef method(struct gen *g)
{
	enum sonde_cost_method m = SONDE_COST_PAIR;

	if (prog_kind_is(g->prog.plan->kind, PK_SESSION))
		m = SONDE_COST_SESSION;
	else if (probe_is_at_returns(g->probe.point))
		m = SONDE_COST_EXITS;
	return gen_u32(g, m);
}

static LLVMValueRef before(struct gen *g, LLVMValueRef slot)
{
	return gen_at(g, slot, g->probe.plan->state.before);
}

void cost_begin(struct gen *g, LLVMValueRef cost, LLVMValueRef slot)
{
	if (!cost)
		LLVMBuildStore(g->b, span_clock(g), slot);
	else if (is_goroutine(g))
		GEN_CALL(g, "sonde_cost_begin_goroutine", cost, slot, before(g, slot),
			 gen_whole_cookie(g), method(g), g->prog.began);
	else
		GEN_CALL(g, "sonde_cost_begin", cost, slot, before(g, slot), gen_whole_cookie(g),
			 method(g), g->prog.began);
}

LLVMValueRef cost_less(struct gen *g, LLVMValueRef cost, LLVMValueRef slot, LLVMValueRef length)
{
	g->body.length = length;
	if (!cost)
		return length;
	if (is_goroutine(g))
		return GEN_CALL(g, "sonde_cost_less_goroutine", cost, before(g, slot), length);
	return GEN_CALL(g, "sonde_cost_less", cost,
			LLVMBuildLoad2(g->b, g->i64, before(g, slot), ""), length);
}

LLVMValueRef cost_less_open(struct gen *g, LLVMValueRef task, LLVMValueRef slot,
			    LLVMValueRef length, LLVMBasicBlockRef out)
{
	LLVMValueRef cost = NULL;

	if (is_measured(g)) {
		cost = GEN_CALL(g, "sonde_cost_find", task);
		span_only_if(g, cost, out);
	}
	return cost_less(g, cost, slot, length);
}

void cost_end(struct gen *g, LLVMValueRef cost)
{
	if (cost)
		GEN_CALL(g, "sonde_cost_end", cost, gen_whole_cookie(g), method(g), g->prog.began);
}
