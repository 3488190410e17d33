/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: the gen column of spans.def. The start stores the time, and values that the end needs but
 * only the start can read. The end removes the start, computes `delta` and runs the body.
 */
#include "codegen/gen_cost.h"
#include "codegen/gen_prefault.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"
#include "parser/base/regs.h"

/* Size and alignment of a kernel stack. Calls in an interrupt are on a stack of their own. */
#define KERNEL_STACK_MASK (~(uint64_t)0x3fff)
#define NO_NUMBER (~(uint64_t)0) /* at the exit of sigreturn */

LLVMValueRef span_map(struct gen *g)
{
	return g->spans[g->probe.plan->state.owner];
}

LLVMValueRef span_shape(struct gen *g)
{
	const struct plan_span *state = &g->probe.plan->state;

	return gen_u32(g, state->slots << SONDE_SHAPE_SLOTS | state->slot_bytes);
}

LLVMValueRef span_probe_id(struct gen *g)
{
	return gen_u32(g, g->probe.id);
}

LLVMValueRef span_clock(struct gen *g)
{
	return gen_helper(g, BPF_FUNC_ktime_get_ns, NULL, 0);
}

/* Fetch the current task. The probe's body uses the pointer too. */
static LLVMValueRef current_task(struct gen *g)
{
	g->body.current = gen_task(g);
	return g->body.current;
}

/* ---- starts ------------------------------------------------------------------------------ */

/* Switch to the start event, at which EXPR of entry(EXPR) is evaluated. Returns the attach point
 * for go_back(). */
static const struct attach_point *go_to_start(struct gen *g)
{
	const struct attach_point *here = g->probe.point;

	g->probe.is_start = true;
	if (g->probe.ast->start)
		g->probe.point = &g->probe.ast->start->points[g->probe.plan->point];
	return here;
}

static void go_back(struct gen *g, const struct attach_point *here)
{
	g->probe.point = here;
	g->probe.is_start = false;
}

void span_prefault_entries(struct gen *g)
{
	const struct attach_point *here = go_to_start(g);

	gen_prefault_entries(g);
	span_prefault_call(g);
	go_back(g, here);
}

void span_store_entries(struct gen *g, LLVMValueRef slot)
{
	const struct plan_span *state = &g->probe.plan->state;
	const struct attach_point *here = go_to_start(g);

	if (state->n_entries)
		gen_scratch_begin(g);
	for (uint32_t i = 0; i < state->n_entries; i++)
		gen_expr_into(g, g->probe.ast->entries[i]->call.args[0], state->entries[i].type,
			      gen_at(g, slot, state->entries[i].offset));
	if (state->n_entries)
		gen_scratch_end(g);
	span_store_call(g, slot);
	go_back(g, here);
}

/* Store the values that cannot be read any more when the thread is back. */
static void store_state(struct gen *g, LLVMValueRef slot)
{
	const struct plan_span *state = &g->probe.plan->state;

	for (uint32_t i = 0; i < state->n_stacks; i++)
		LLVMBuildStore(g->b,
			       gen_user_stack(g, g->body.current, span_probe_id(g),
					      state->stacks[i].limit, state->stacks[i].walk),
			       gen_at(g, slot, state->stacks[i].field.offset));
	for (uint32_t i = 0; i < state->n_kstacks; i++)
		LLVMBuildStore(g->b, span_leaves(g, g->body.current, state->kstacks[i].limit),
			       gen_at(g, slot, state->kstacks[i].field.offset));
	span_store_args(g, slot);
	span_store_reason(g, slot);
}

void span_test_conds(struct gen *g, LLVMBasicBlockRef out)
{
	for (uint32_t i = 0; i < g->probe.ast->n_start_conds; i++)
		gen_only_if(g, gen_int(g, g->probe.ast->start_conds[i]), out);
}

/* Test scope and predicate for a span of the current thread. */
void span_test_start(struct gen *g, LLVMBasicBlockRef out)
{
	prog_scope_test(g, out);
	prog_note_firing(g);
	span_test_conds(g, out);
}

LLVMValueRef span_open(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	LLVMValueRef state = GEN_CALL(g, "sonde_span_open", span_map(g), task, span_probe_id(g));

	gen_only_if(g, state, out);
	return state;
}

static void store_start(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out)
{
	LLVMBuildStore(g->b, span_clock(g), slot);
	LLVMBuildBr(g->b, out);
}

/* ---- ends -------------------------------------------------------------------------------- */

void span_body(struct gen *g, LLVMValueRef slot, LLVMValueRef start, LLVMValueRef delta)
{
	g->body.delta = delta;
	g->body.began = start;
	g->body.span = slot;
	prog_body(g);
	g->body.delta = g->body.began = g->body.cut = g->body.self = g->body.subject =
		g->body.span = g->body.depth = g->body.length = NULL;
}

/* Compute `delta` of the span in `slot` and run the body, which may read the slot. */
static void span_end_with(struct gen *g, LLVMValueRef slot, LLVMValueRef start, LLVMValueRef now)
{
	span_body(g, slot, start, LLVMBuildSub(g->b, now, start, ""));
}

/* The start time in the slot; go to `out` if there is none. */
LLVMValueRef span_take(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out)
{
	LLVMValueRef start = gen_word(g, slot);

	gen_only_if(g, start, out);
	return start;
}

LLVMValueRef span_find(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	LLVMValueRef state = GEN_CALL(g, "sonde_span_find", span_map(g), task);

	gen_only_if(g, state, out);
	return state;
}

/* ---- sched_switch(preempt, prev, next) --------------------------------------------------- */

/* The time, kept in `kept`. The clock is read at its first use in a run. */
static LLVMValueRef clock_once(struct gen *g, LLVMValueRef kept)
{
	LLVMBasicBlockRef read = gen_block(g, "clock"), is_read = gen_block(g, "clock.read");
	LLVMValueRef time = gen_word(g, kept);

	gen_unless(g, time, is_read, read);
	LLVMBuildStore(g->b, span_clock(g), kept);
	gen_enter(g, is_read);
	return gen_word(g, kept);
}

static void switch_start(struct gen *g, LLVMValueRef leaves, LLVMValueRef now,
			 LLVMBasicBlockRef out)
{
	LLVMValueRef state;

	g->body.current = leaves;
	gen_only_if(g, GEN_CALL(g, "sonde_span_begins", leaves), out);
	span_test_start(g, out);
	state = span_open(g, leaves, out);
	GEN_CALL(g, "sonde_span_leaves", state, span_probe_id(g));
	LLVMBuildStore(g->b, span_clock(g), now);
	LLVMBuildStore(g->b, gen_word(g, now), state);
	store_state(g, state);
	span_store_entries(g, state);
	LLVMBuildBr(g->b, out);
}

static void switch_end(struct gen *g, LLVMValueRef returns, LLVMValueRef now, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start;

	g->body.current = NULL; /* body.current was the thread that leaves the CPU */
	gen_only_if(g, GEN_CALL(g, "sonde_span_ends", returns), out);
	gen_only_if(g, GEN_CALL(g, "sonde_scope_may_have", returns), out);
	state = span_find(g, returns, out);
	start = span_take(g, state, out);
	LLVMBuildStore(g->b, gen_u64(g, 0), state);
	g->body.subject = returns;
	span_end_with(g, state, span_unmark(g, start), clock_once(g, now));
	LLVMBuildBr(g->b, out);
}

/* One event is the start of prev's time off the CPU and the end of next's. The clock is read once
 * for both, and late: with a filter most switches leave before. */
void gen_span_switch(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef end = gen_block(g, "span.end");
	LLVMValueRef now = gen_buffer(g, 8); /* 0: not read yet; LLVM mostly uses a register */

	LLVMBuildStore(g->b, gen_u64(g, 0), now);
	switch_start(g, prog_context_pointer(g, 1), now, end);
	LLVMPositionBuilderAtEnd(g->b, end);
	switch_end(g, prog_context_pointer(g, 2), now, out);
}

/* Times on the CPU: prev's time ends, next's starts. The body runs as that of the plain event does,
 * with the current thread as subject. A thread's first and last time on the CPU count too. */
static void slice_start(struct gen *g, LLVMValueRef comes, LLVMBasicBlockRef out)
{
	gen_only_if(g, GEN_CALL(g, "sonde_span_ends", comes), out);
	gen_only_if(g, GEN_CALL(g, "sonde_scope_current", comes), out);
	span_test_cgroup(g, comes, out);
	store_start(g, span_open(g, comes, out), out);
}

void gen_span_slice(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef end = gen_block(g, "slice.end");
	LLVMValueRef state, start;

	slice_start(g, prog_context_pointer(g, 2), end);
	LLVMPositionBuilderAtEnd(g->b, end);
	g->body.current = prog_context_pointer(g, 1);
	state = span_find(g, g->body.current, out);
	start = GEN_CALL(g, "sonde_span_take", state, span_probe_id(g));
	/* a start that open_spans = count has marked is negative: its beginning was not seen */
	gen_only_if(g, gen_compare(g, span_tells_cut(g) ? LLVMIntNE : LLVMIntSGT, start, 0), out);
	span_end_with(g, NULL, span_unmark(g, start), span_clock(g));
	LLVMBuildBr(g->b, out);
}

/* ---- calls of functions ------------------------------------------------------------------ */

LLVMValueRef span_stack_mask(struct gen *g)
{
	return gen_u64(g, probe_space(g->probe.point) == SPACE_USER ? 0 : KERNEL_STACK_MASK);
}

bool span_is_shared(const struct gen *g)
{
	const struct plan_span *state = &g->probe.plan->state;
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->plan->n_probes; i++)
		n += g->plan->probes[i].state.kind &&
		     g->plan->probes[i].state.owner == state->owner;
	return n > 1 && (state->kind == SPAN_RETURN || state->kind == SPAN_GOROUTINE);
}

/* Identifies the function that is called: calls can share a stack pointer when one function ends in
 * a jump to another. */
LLVMValueRef span_call_target(struct gen *g)
{
	uint64_t number = (uint64_t)(g->probe.id - g->probe.plan->state.owner) << PLAN_FORMAT_BIT;
	LLVMValueRef function;

	if (!plan_has_cookie(g->prog.plan))
		return gen_u64(g, number);
	function = gen_cookie_function(g);
	if (!span_is_shared(g))
		return function;
	function = gen_masked(g, function, (1ull << PLAN_FORMAT_BIT) - 1);
	return LLVMBuildOr(g->b, function, gen_u64(g, number), "");
}

void span_only_if_mine(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out)
{
	uint64_t number = g->probe.id - g->probe.plan->state.owner;
	LLVMValueRef target;

	if (g->probe.plan->state.kind != SPAN_RETURN || !span_is_shared(g))
		return;
	target = gen_word(g, gen_at(g, slot, 16));
	target = gen_shifted(g, target, PLAN_FORMAT_BIT);
	gen_only_if(g, gen_compare(g, LLVMIntEQ, target, number), out);
}

/* Identifies a call by its address on the stack, the stack pointer at its entry; nested calls are
 * below it. fentry and fexit programs use their context, which the trampoline has placed on the
 * stack: its address is the same at both ends. */
static LLVMValueRef call_address(struct gen *g, bool is_end)
{
	/* at a return instruction the stack pointer is that of the entry */
	uint64_t shift = is_end && !probe_is_at_returns(g->probe.point) ? regs.sp_shift : 0;

	if (probe_is_typed(g->probe.point))
		return GEN_CALL(g, "sonde_span_context", g->body.ctx);
	return LLVMBuildSub(g->b, gen_register(g, regs.sp), gen_u64(g, shift), "");
}

/* The depth limit: deeper calls have no slot. `self` needs the slots of calls that the predicate
 * drops, too. */
static uint32_t depth_limit(const struct gen *g)
{
	uint32_t limit = g->probe.ast->max_depth;
	const struct plan_span *state = &g->probe.plan->state;

	return limit && limit < state->slots && !state->inside ? limit : state->slots;
}

/* Allocate a slot for the call. */
static LLVMValueRef push_call(struct gen *g, LLVMValueRef calls, LLVMValueRef sp,
			      LLVMBasicBlockRef out)
{
	LLVMValueRef target = span_call_target(g),
		     n = span_remaining_calls(g, calls, sp, target, out);

	span_leave_calls(g, calls, n, LLVMBuildSub(g->b, gen_word(g, calls), n, ""), NULL);
	return GEN_CALL(g, "sonde_span_push", calls, n, sp, target, span_shape(g),
			gen_u32(g, depth_limit(g)), span_probe_id(g));
}

/* The state of the current thread's calls. */
static LLVMValueRef same_program(struct gen *g, LLVMValueRef calls)
{
	if (probe_space(g->probe.point) == SPACE_USER)
		GEN_CALL(g, "sonde_span_same_program", calls, g->body.current);
	return calls;
}

static void return_start(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef calls, slot, cost, sp = call_address(g, false);

	span_test_start(g, out);
	if (g->prog.plan->is_sleepable)
		span_prefault_entries(g);
	calls = same_program(g, span_open(g, current_task(g), out));
	cost = cost_open(g, out);
	slot = push_call(g, calls, sp, out);
	gen_only_if(g, slot, out);
	if (g->probe.plan->state.inside)
		LLVMBuildStore(g->b, gen_u64(g, 0), gen_at(g, slot, g->probe.plan->state.inside));
	span_store_entries(g, slot);
	if (g->prog.result)
		LLVMBuildStore(g->b, gen_u32(g, 0), g->prog.result);
	cost_begin(g, cost, slot);
	LLVMBuildBr(g->b, out);
}

/* Both ends in one program. For a call that is not traced the program returns 1, and the kernel
 * does not run it at the return. */
void gen_span_session(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef entry = gen_block(g, "session.entry"),
			  end = gen_block(g, "session.return");
	LLVMValueRef is_return = GEN_CALL(g, "sonde_session_is_return", g->body.ctx);

	prog_select_probe(g, g->prog.plan->probes[0]);
	gen_unless(g, is_return, end, entry);
	cost_is_entry(g);
	g->probe.is_start = true;
	gen_span(g, out);
	g->body.current = NULL; /* body.current is read at the entry only */
	LLVMPositionBuilderAtEnd(g->b, end);
	gen_span(g, out);
}

/* Compute `self` of the call in `slot`, one of `calls`: its length without the calls inside it.
 * Adds its length to the nested time of the call around it. */
static void measure_self(struct gen *g, LLVMValueRef calls, LLVMValueRef slot, LLVMValueRef length)
{
	uint32_t inside = g->probe.plan->state.inside;

	if (inside)
		g->body.self = GEN_CALL(g, "sonde_span_self", calls, gen_at(g, slot, inside),
					length, span_shape(g), gen_u32(g, inside));
}

/* The return of a call. The scope was tested at the entry: threads that are not traced have no
 * state. */
void gen_span_return(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef calls, slot, cost, sp, now, start, length, before, first;

	if (g->probe.is_start) {
		g->probe.is_start = false;
		return_start(g, out);
		return;
	}
	now = g->prog.began ? g->prog.began : span_clock(g);
	calls = same_program(g, span_find(g, current_task(g), out));
	cost = cost_open(g, out);
	sp = call_address(g, true);
	before = gen_word(g, calls);
	slot = GEN_CALL(g, "sonde_span_pop", calls, sp, span_call_target(g), span_shape(g),
			span_stack_mask(g));
	gen_only_if(g, slot, out);
	first = gen_plus(g, gen_word(g, calls), 1);
	span_leave_calls(g, calls, first, LLVMBuildSub(g->b, before, first, ""), now);
	g->body.depth = gen_plus(g, gen_word(g, calls), 1);
	start = gen_word(g, slot);
	length = cost_less(g, cost, slot, LLVMBuildSub(g->b, now, start, ""));
	measure_self(g, calls, slot, length);
	span_body(g, slot, start, length);
	cost_end(g, cost);
	LLVMBuildBr(g->b, out);
}

/* ---- system calls ------------------------------------------------------------------------ */

/* Go to `out` unless the slot holds the number of this system call: the exit of another call does
 * not end the span. At the exit of sigreturn the number is not known any more. */
static void only_if_entered(struct gen *g, LLVMValueRef key, LLVMBasicBlockRef out)
{
	LLVMValueRef is_same = LLVMBuildICmp(g->b, LLVMIntEQ, key, g->body.syscall, ""), has_none;

	if (g->probe.plan->syscall.number < 0) {
		has_none = gen_compare(g, LLVMIntEQ, g->body.syscall, NO_NUMBER);
		is_same = LLVMBuildOr(g->b, is_same, has_none, "");
	}
	gen_only_if(g, is_same, out);
}

void gen_span_syscall(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start, key, now, number = g->body.syscall;

	if (g->probe.is_start) {
		g->probe.is_start = false;
		span_test_start(g, out);
		state = span_open(g, current_task(g), out);
		LLVMBuildStore(g->b, g->body.syscall, gen_at(g, state, 8));
		span_store_entries(g, state);
		store_start(g, state, out);
		return;
	}
	now = span_clock(g);
	state = span_find(g, current_task(g), out);
	start = span_take(g, state, out);
	LLVMBuildStore(g->b, gen_u64(g, 0), state);
	key = gen_word(g, gen_at(g, state, 8));
	only_if_entered(g, key, out);
	g->body.syscall = key;
	span_end_with(g, state, start, now);
	g->body.syscall = number; /* for the other probes of the program */
	LLVMBuildBr(g->b, out);
}

/* ---- interval, profile ------------------------------------------------------------------- */

/* Each firing ends the span that the previous one on this CPU has started, then starts its own. */
void gen_span_firing(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start, now = span_clock(g);
	LLVMBasicBlockRef next = gen_block(g, "span.start");

	state = GEN_CALL(g, "sonde_span_cpu", span_map(g));
	gen_only_if(g, state, out);
	start = span_take(g, state, next);
	span_end_with(g, state, start, now);
	gen_enter(g, next);
	LLVMBuildStore(g->b, now, state);
	span_store_entries(g, state);
	LLVMBuildBr(g->b, out);
}
