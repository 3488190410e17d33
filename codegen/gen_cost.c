/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer's own time in spans of user functions, if the script subtracts it (needs.tracer_time;
 * bpf_helpers/cost.bpf.c). For other probes these functions generate nothing.
 */
#include "codegen/gen_cost.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"
#include "parser/base/regs.h"

static bool is_measured(const struct gen *g)
{
	return g->probe.plan->state.before;
}

static bool is_moving(const struct gen *g)
{
	return g->probe.plan->state.kind == SPAN_GOROUTINE;
}

/* Is the time that of a goroutine, not of a thread? */
static bool is_of_go(const struct gen *g)
{
	return probe_abi(g->probe.point) != USER_ABI_C;
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

static LLVMValueRef method(struct gen *g)
{
	enum sonde_cost_method m = SONDE_COST_PAIR;

	if (prog_kind_is(g->prog.plan->kind, PK_SESSION))
		m = SONDE_COST_SESSION;
	else if (probe_is_at_returns(g->probe.point))
		m = SONDE_COST_EXITS;
	return gen_u32(g, m);
}

static bool is_call(const struct gen *g)
{
	const struct plan_prog *p = g->prog.plan;
	const uint32_t *first = p->n_probes ? p->probes : p->n_starts ? p->starts : NULL;

	return prog_kind_is(p->kind, PK_USER_FUNCTION) && first &&
	       g->plan->probes[*first].state.before;
}

/* What the program's last part has to count: a call that was refused at its entry, or the return of
 * one, or nothing, because it has been counted. */
enum charge { CHARGE_RETURN, CHARGE_ENTRY, CHARGE_NOTHING };

static void set_charge(struct gen *g, enum charge c)
{
	if (g->prog.charge)
		LLVMBuildStore(g->b, gen_u32(g, c), g->prog.charge);
}

void cost_reserve(struct gen *g)
{
	g->prog.charge = is_call(g) ? LLVMBuildAlloca(g->b, g->i32, "charge") : NULL;
}

void cost_clock(struct gen *g)
{
	g->prog.began = is_call(g) || is_plain(g) ? span_clock(g) : NULL;
	set_charge(g, g->prog.plan->n_probes ? CHARGE_RETURN : CHARGE_ENTRY);
}

void cost_is_entry(struct gen *g)
{
	set_charge(g, CHARGE_ENTRY);
}

/* What is known of the thread or goroutine; NULL if nothing is. */
static LLVMValueRef find(struct gen *g)
{
	if (!is_of_go(g))
		return GEN_CALL(g, "sonde_cost_find", gen_task(g));
	return GEN_CALL(g, "sonde_cost_find_goroutine", gen_task(g),
			gen_register(g, regs.goroutine));
}

static void leave_plain(struct gen *g)
{
	bool is_return = prog_kind_is(g->prog.plan->kind, PK_RETURN);

	GEN_CALL(g, "sonde_cost_add", find(g), gen_whole_cookie(g),
		 gen_u32(g, is_return ? SONDE_COST_RETURN : SONDE_COST_PLAIN), gen_u32(g, true),
		 g->prog.began);
}

/* The kernel runs only the entry of a session's call that is refused. */
static void leave_call(struct gen *g)
{
	LLVMValueRef charge = LLVMBuildLoad2(g->b, g->i32, g->prog.charge, ""), is_entry, at_entry;
	LLVMBasicBlockRef count = gen_block(g, "cost.count"), done = gen_block(g, "cost.done");
	LLVMValueRef nothing = gen_u32(g, CHARGE_NOTHING);

	at_entry = prog_kind_is(g->prog.plan->kind, PK_SESSION) ? gen_u32(g, SONDE_COST_PLAIN)
								: method(g);
	gen_unless(g, LLVMBuildICmp(g->b, LLVMIntEQ, charge, nothing, ""), done, count);
	is_entry = gen_compare(g, LLVMIntEQ, charge, CHARGE_ENTRY);
	GEN_CALL(g, "sonde_cost_add", find(g), gen_whole_cookie(g),
		 LLVMBuildSelect(g->b, is_entry, at_entry, method(g), ""),
		 LLVMBuildZExt(g->b, is_entry, g->i32, ""), g->prog.began);
	gen_enter(g, done);
}

void cost_leave(struct gen *g)
{
	g->body.current = g->prog.began ? NULL : g->body.current; /* fetched on one path only */
	if (is_plain(g))
		leave_plain(g);
	else if (g->prog.charge)
		leave_call(g);
}

LLVMValueRef cost_open(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef cost;

	if (!is_measured(g))
		return NULL;
	if (is_of_go(g))
		cost = GEN_CALL(g, "sonde_cost_open_goroutine", gen_task(g),
				gen_register(g, regs.goroutine), span_probe_id(g));
	else
		cost = GEN_CALL(g, "sonde_cost_open", gen_task(g), span_probe_id(g));
	gen_only_if(g, cost, out);
	return cost;
}

static LLVMValueRef before(struct gen *g, LLVMValueRef slot)
{
	return gen_at(g, slot, g->probe.plan->state.before);
}

void cost_begin(struct gen *g, LLVMValueRef cost, LLVMValueRef slot)
{
	set_charge(g, CHARGE_NOTHING);
	if (!cost)
		LLVMBuildStore(g->b, span_clock(g), slot);
	else if (is_moving(g))
		GEN_CALL(g, "sonde_cost_begin_moving", cost, slot, before(g, slot),
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
	if (is_moving(g))
		return GEN_CALL(g, "sonde_cost_less_moving", cost, before(g, slot), length);
	return GEN_CALL(g, "sonde_cost_less", cost, gen_word(g, before(g, slot)), length);
}

LLVMValueRef cost_less_open(struct gen *g, LLVMValueRef task, LLVMValueRef slot,
			    LLVMValueRef length, LLVMBasicBlockRef out)
{
	LLVMValueRef cost = NULL;

	if (is_measured(g)) {
		cost = GEN_CALL(g, "sonde_cost_find", task);
		gen_only_if(g, cost, out);
	}
	return cost_less(g, cost, slot, length);
}

void cost_end(struct gen *g, LLVMValueRef cost)
{
	set_charge(g, CHARGE_NOTHING);
	if (cost)
		GEN_CALL(g, "sonde_cost_end", cost, gen_whole_cookie(g), method(g), g->prog.began);
}
