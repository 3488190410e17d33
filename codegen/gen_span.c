/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: the gen column of spans.def. The start keeps the time and what the end will need and only
 * the start can see; the end takes the start away, has the difference as `delta`, and runs the
 * body.
 */
#include "gen.h"
#include "gen_hooks.h"
#include "gen_prog.h"
#include "regs.h"

enum { HELPER_KTIME_GET_NS = 5 };

/* A kernel stack's size and alignment: calls in an interrupt are on another one. */
#define KERNEL_STACK_MASK (~(uint64_t)0x3fff)

static gen_span_fn *const hooks[SPAN_COUNT] = {
#define SPAN(id, start, state, slots, key, same, gen, doc) [SPAN_##id] = gen,
#include "../parser/spans.def"
#undef SPAN
};

void gen_span(struct gen *g, LLVMBasicBlockRef out)
{
	hooks[g->probe->span_kind](g, out);
}

static LLVMValueRef span_map(struct gen *g)
{
	return g->spans[g->probe->span_owner];
}

static LLVMValueRef probe_id(struct gen *g)
{
	return gen_u32(g, g->probe_id);
}

static LLVMValueRef clock_ns(struct gen *g)
{
	return gen_helper(g, HELPER_KTIME_GET_NS, NULL, 0);
}

/* The body has it too. */
static LLVMValueRef current_task(struct gen *g)
{
	g->current = gen_task(g);
	return g->current;
}

static void only_if_found(struct gen *g, LLVMValueRef pointer, LLVMBasicBlockRef otherwise)
{
	prog_only_if(g, LLVMBuildIsNotNull(g->b, pointer, ""), otherwise);
}

/* ---- starts ------------------------------------------------------------------------------ */

/* entry(EXPR): EXPR is one of the start event's. */
static void keep_entries(struct gen *g, LLVMValueRef slot)
{
	const struct attach_point *here = g->point;

	g->is_start = true;
	if (g->ast->start)
		g->point = &g->ast->start->points[g->probe->point];
	for (uint32_t i = 0; i < g->probe->n_span_entries; i++) {
		const struct plan_field *f = &g->probe->span_entries[i];

		gen_store(g, gen_expr(g, g->ast->entries[i]->call.args[0]), f->type,
			  gen_at(g, slot, f->offset));
	}
	g->point = here;
	g->is_start = false;
}

/* What is gone at a switch's end. */
static void keep_state(struct gen *g, LLVMValueRef slot)
{
	const struct plan_probe *q = g->probe;

	if (q->span_ustack >= 0)
		LLVMBuildStore(g->b, GEN_OWN(g, "sonde_stack_user", g->ctx, probe_id(g), gen_u32(g, 0)),
			       gen_at(g, slot, (uint32_t)q->span_ustack));
	for (uint32_t i = 0; i < q->n_span_args; i++)
		gen_store(g, gen_rebuilt_field(g, q->span_arg_names[i], q->span_args[i].type),
			  q->span_args[i].type, gen_at(g, slot, q->span_args[i].offset));
}

/* The current thread is the span's. */
static void test_start(struct gen *g, LLVMBasicBlockRef out)
{
	prog_scope_test(g, out);
	for (uint32_t i = 0; i < g->ast->n_start_conds; i++)
		prog_only_if(g, gen_truth(g, gen_int(g, g->ast->start_conds[i])), out);
}

static LLVMValueRef open_state(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	LLVMValueRef state = GEN_OWN(g, "sonde_span_open", span_map(g), task, probe_id(g));

	only_if_found(g, state, out);
	return state;
}

static void store_start(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out)
{
	LLVMBuildStore(g->b, clock_ns(g), slot);
	LLVMBuildBr(g->b, out);
}

/* ---- ends -------------------------------------------------------------------------------- */

/* `delta` of the span in `slot`, and the body. The slot stays readable until the body ends. */
static void end_with(struct gen *g, LLVMValueRef slot, LLVMValueRef start, LLVMValueRef now)
{
	g->delta = LLVMBuildSub(g->b, now, start, "");
	g->span = slot;
	prog_body(g);
	g->delta = g->subject = g->span = g->depth = NULL;
}

/* The slot's start; leave when there is none. */
static LLVMValueRef take_start(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out)
{
	LLVMValueRef start = LLVMBuildLoad2(g->b, g->i64, slot, "");

	prog_only_if(g, gen_truth(g, start), out);
	return start;
}

static LLVMValueRef find_state(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	LLVMValueRef state = GEN_OWN(g, "sonde_span_find", span_map(g), task);

	only_if_found(g, state, out);
	return state;
}

/* ---- sched_switch(preempt, prev, next) --------------------------------------------------- */

static void switch_start(struct gen *g, LLVMValueRef leaves, LLVMBasicBlockRef out)
{
	LLVMValueRef state;

	g->current = leaves;
	prog_only_if(g, gen_truth(g, GEN_OWN(g, "sonde_span_begins", leaves)), out);
	test_start(g, out);
	state = open_state(g, leaves, out);
	LLVMBuildStore(g->b, clock_ns(g), state);
	keep_state(g, state);
	keep_entries(g, state);
	LLVMBuildBr(g->b, out);
}

static void switch_end(struct gen *g, LLVMValueRef returns, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start;

	g->current = NULL; /* the one that leaves */
	prog_only_if(g, gen_truth(g, GEN_OWN(g, "sonde_span_ends", returns)), out);
	prog_only_if(g, gen_truth(g, GEN_OWN(g, "sonde_scope_may_have", returns)), out);
	state = find_state(g, returns, out);
	start = take_start(g, state, out);
	LLVMBuildStore(g->b, gen_u64(g, 0), state);
	g->subject = returns;
	end_with(g, state, start, clock_ns(g));
	LLVMBuildBr(g->b, out);
}

/* One event ends prev's time on the CPU and next's time off it. The clock is read late and perhaps
 * twice: most switches of a filtered script end before. */
void gen_span_switch(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef end = gen_block(g, "span.end");

	switch_start(g, prog_context_pointer(g, 1), end);
	LLVMPositionBuilderAtEnd(g->b, end);
	switch_end(g, prog_context_pointer(g, 2), out);
}

/* ---- calls of functions ------------------------------------------------------------------ */

static LLVMValueRef stack_mask(struct gen *g)
{
	return gen_u64(g, g->point->id == PROBE_URETPROBE ? 0 : KERNEL_STACK_MASK);
}

/* Which function's call it is: nested ones may share a stack pointer, when one ends by jumping to
 * another. */
static LLVMValueRef call_target(struct gen *g)
{
	if (g->probe->span_owner != g->probe_id) /* one of a pattern's, with a program of its own */
		return probe_id(g);
	return g->prog->n_targets > 1 ? gen_cookie(g) : gen_u64(g, 0);
}

/* Where on the stack a call is, whatever is called from it being further down: the stack pointer at
 * its entry. For programs of type fentry and fexit it is their context, which is what the trampoline
 * around the call has put there, the same at both ends. */
static LLVMValueRef call_place(struct gen *g, bool is_end)
{
	uint64_t shift = is_end ? regs_return_sp_shift() : 0;

	if (probe_is_typed(g->point))
		return GEN_OWN(g, "sonde_span_context", g->ctx);
	return LLVMBuildSub(g->b, gen_register(g, regs_sp_offset()), gen_u64(g, shift), "");
}

static void return_start(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef calls, slot, sp = call_place(g, false);

	test_start(g, out);
	calls = open_state(g, current_task(g), out);
	slot = GEN_OWN(g, "sonde_span_push", calls, sp, call_target(g), gen_u32(g, g->probe->span_size),
		       stack_mask(g), probe_id(g));
	only_if_found(g, slot, out);
	keep_entries(g, slot);
	store_start(g, slot, out);
}

/* Scope was tested at the start: where there is none, there is no state. */
void gen_span_return(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef calls, slot, sp, now;

	if (g->is_start) {
		g->is_start = false;
		return_start(g, out);
		return;
	}
	now = clock_ns(g);
	calls = find_state(g, current_task(g), out);
	sp = call_place(g, true);
	slot = GEN_OWN(g, "sonde_span_pop", calls, sp, call_target(g), gen_u32(g, g->probe->span_size),
		       stack_mask(g), probe_id(g));
	only_if_found(g, slot, out);
	g->depth = LLVMBuildAdd(g->b, LLVMBuildLoad2(g->b, g->i64, calls, ""), gen_u64(g, 1), "");
	end_with(g, slot, LLVMBuildLoad2(g->b, g->i64, slot, ""), now);
	LLVMBuildBr(g->b, out);
}

/* ---- system calls ------------------------------------------------------------------------ */

/* The number at the slot's start says which call the thread is in: a call that was entered under
 * another number, or as another thread, ends nothing. */
void gen_span_syscall(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start, key, now;

	if (g->is_start) {
		g->is_start = false;
		test_start(g, out);
		state = open_state(g, current_task(g), out);
		LLVMBuildStore(g->b, g->syscall, gen_at(g, state, 8));
		keep_entries(g, state);
		store_start(g, state, out);
		return;
	}
	now = clock_ns(g);
	state = find_state(g, current_task(g), out);
	start = take_start(g, state, out);
	LLVMBuildStore(g->b, gen_u64(g, 0), state);
	key = LLVMBuildLoad2(g->b, g->i64, gen_at(g, state, 8), "");
	prog_only_if(g, LLVMBuildICmp(g->b, LLVMIntEQ, key, g->syscall, ""), out);
	end_with(g, state, start, now);
	LLVMBuildBr(g->b, out);
}

/* ---- interval, profile ------------------------------------------------------------------- */

/* Each firing ends the span of the one before it on this CPU, then starts its own. */
void gen_span_firing(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start, now = clock_ns(g);
	LLVMBasicBlockRef next = gen_block(g, "span.start");

	state = GEN_OWN(g, "sonde_span_cpu", span_map(g));
	only_if_found(g, state, out);
	start = take_start(g, state, next);
	end_with(g, state, start, now);
	LLVMBuildBr(g->b, next);
	LLVMPositionBuilderAtEnd(g->b, next);
	LLVMBuildStore(g->b, now, state);
	keep_entries(g, state);
	LLVMBuildBr(g->b, out);
}
