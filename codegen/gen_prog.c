/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel programs: entry, scope test, dispatch of system calls, predicate and body of a probe.
 * Spans are in gen_span.c.
 */
#include "parser/lang/prefault.h"
#include "parser/lang/span_kind.h"
#include "codegen/gen_cost.h"
#include "codegen/gen_prefault.h"
#include "codegen/gen_prog.h"
#include "parser/base/regs.h"

static bool is_start_cond(const struct probe *p, const struct expr *e)
{
	for (uint32_t i = 0; i < p->n_start_conds; i++)
		if (p->start_conds[i] == e)
			return true;
	return false;
}

void prog_predicate(struct gen *g, struct expr *e, LLVMBasicBlockRef out)
{
	struct span around = g->probe.at;
	LLVMValueRef holds;

	if (e->kind == EX_BINARY && e->binary.op == OP_LAND) {
		prog_predicate(g, e->binary.left, out);
		prog_predicate(g, e->binary.right, out);
		return;
	}
	if (g->body.span && is_start_cond(g->probe.ast, e))
		return;
	holds = gen_int(g, e);
	gen_location(g, e->span);
	g->probe.at = around;
	gen_only_if(g, holds, out);
}

void prog_select_probe(struct gen *g, uint32_t id)
{
	g->probe.id = id;
	g->probe.plan = &g->plan->probes[id];
	g->probe.ast = g->program->probes[g->probe.plan->ast];
	g->probe.point = &g->probe.ast->points[g->probe.plan->point];
	g->body.epochs = arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->body.epochs));
	gen_location(g, g->probe.plan->span);
}

static void unless_exiting(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef is_exiting = GEN_CALL(g, "sonde_control_exiting");

	gen_only_if(g, LLVMBuildNot(g->b, gen_truth(g, is_exiting), ""), out);
}

static bool notes_firing(const struct gen *g)
{
	return !prog_kind_is(g->prog.plan->kind, PK_UNAWAITED) && g->probe.id < SONDE_MAX_FIRED;
}

void prog_note_firing(struct gen *g)
{
	if (notes_firing(g))
		GEN_CALL(g, "sonde_control_fired", gen_u32(g, g->probe.id));
}

static void note_run(struct gen *g)
{
	if (prog_kind_is(g->prog.plan->kind, PK_RUNS_ARE_HITS))
		prog_note_firing(g);
	else
		GEN_CALL(g, notes_firing(g) ? "sonde_control_begin" : "sonde_control_hit",
			 gen_u32(g, g->probe.id));
}

void prog_body(struct gen *g)
{
	LLVMBasicBlockRef after = g->prog.plan->is_sleepable ? gen_block(g, "after") : NULL;

	note_run(g);
	if (after) {
		gen_prefault_body(g, after);
		unless_exiting(g, after); /* the program may have slept */
	}
	g->body.done = g->body.exit = gen_block(g, "done");
	gen_scratch_begin(g);
	gen_frame_begin(g);
	if (g->probe.ast->predicate && !(after && prefault_is_plain(g->probe.ast->predicate)))
		prog_predicate(g, g->probe.ast->predicate, g->body.done);
	gen_stmts(g, &g->probe.ast->body);
	gen_enter(g, g->body.done);
	gen_location(g, g->probe.plan->span);
	if (gen_frame_result(g))
		LLVMBuildStore(g->b, LLVMBuildLoad2(g->b, g->i32, gen_frame_result(g), ""),
			       g->prog.result);
	gen_scratch_end(g);
	if (!after)
		return;
	gen_enter(g, after);
}

static LLVMValueRef context_word(struct gen *g, uint32_t i)
{
	return gen_word(g, gen_at(g, g->body.words, i * 8));
}

LLVMValueRef prog_context_pointer(struct gen *g, uint32_t i)
{
	return LLVMBuildLoad2(g->b, g->ptr, gen_at(g, g->body.words, i * 8), "");
}

void prog_rebuild_words(struct gen *g)
{
	enum plan_prog_kind kind = g->prog.plan->kind;

	g->body.words = g->body.ctx;
	if (!prog_kind_is(kind, PK_SYSCALL) || !prog_kind_is(kind, PK_RECORD))
		return;
	g->body.words = gen_buffer(g, 16);
	GEN_CALL(g, "sonde_syscall_words", g->body.ctx, g->body.words,
		 gen_u32(g, prog_kind_is(kind, PK_RETURN)));
}

/* Is the thread in the cgroup of --cgroup? The program of an iterator runs in the thread that reads
 * its output, but the subject is another thread. */
static LLVMValueRef is_in_cgroup(struct gen *g)
{
	if (prog_kind_is(g->prog.plan->kind, PK_ITER))
		return gen_truth(g, GEN_CALL(g, "sonde_cgroup_has", g->body.current));
	return gen_truth(g, gen_call_helper(g, "sonde_cgroup_current", NULL, 0));
}

/* Is the thread that is woken in scope? */
static LLVMValueRef woken_is_traced(struct gen *g)
{
	LLVMValueRef woken = prog_context_pointer(g, 0);
	LLVMValueRef is = gen_truth(g, GEN_CALL(g, "sonde_scope_current", woken));

	if (!g->plan->needs.only_cgroup)
		return is;
	return LLVMBuildAnd(g->b, is, gen_truth(g, GEN_CALL(g, "sonde_cgroup_has", woken)), "");
}

/* A wakeup is in scope if one of its two threads is. Programs on a tracepoint's perf event may run
 * before the hidden program that begins the command has run: while another tracer has such an event
 * open, the kernel calls all of its programs where that tracer attached. */
void prog_scope_test(struct gen *g, LLVMBasicBlockRef out)
{
	const struct plan_prog *prog = g->prog.plan;
	LLVMBasicBlockRef traced = NULL, other = out;
	const char *test;

	g->body.current = gen_task(g);
	if (prog->event && event_is_exec(prog->event))
		GEN_CALL(g, "sonde_scope_exec", g->body.current);
	if (prog_kind_is(prog->kind, PK_TYPED) && event_is_wakeup(prog->event)) {
		traced = gen_block(g, "traced");
		other = gen_block(g, "woken");
	}
	if (g->plan->needs.only_cgroup)
		gen_only_if(g, is_in_cgroup(g), other);
	test = prog_kind_interrupts(prog->kind) ? "sonde_scope_event" : "sonde_scope_current";
	gen_only_if(g, GEN_CALL(g, test, g->body.current), other);
	if (!traced)
		return;
	LLVMBuildBr(g->b, traced);
	LLVMPositionBuilderAtEnd(g->b, other);
	gen_if(g, woken_is_traced(g), traced, out);
}

/* Skip calls of 32-bit programs, whose numbers are of another table. */
static void only_if_native(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef compat;

	g->body.current = gen_task(g);
	compat = GEN_CALL(g, "sonde_syscall_is_compat", g->body.current);
	gen_only_if(g, LLVMBuildNot(g->b, gen_truth(g, compat), ""), out);
}

static void uses_task(struct expr *e, void *ctx)
{
	bool *uses = ctx;

	if (e->kind == EX_NAME && e->name.builtin)
		*uses |= e->name.builtin->traits & TR_TASK ||
			 (e->type && e->type->kind == TY_USTACK);
	ast_each_child(e, uses_task, ctx);
}

static bool probe_uses_task(const struct probe *p)
{
	bool uses = false;

	ast_each_in_probe(p, uses_task, &uses);
	return uses;
}

/* From this number of probes on, both tests of a system call are one function, which long scripts
 * call (outline.c). LLVM simplifies two that are inlined better than one. */
enum { MANY_PROBES = 5 };

/* Go to `out` unless the call is of the native table and in scope. If the body uses the current
 * thread, it is fetched here; if not, a test of the registers mostly suffices, except for a
 * cgroup. */
static void only_if_traced(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef ask = gen_block(g, "ask"), traced = gen_block(g, "traced");
	bool uses = g->plan->needs.only_cgroup || probe_uses_task(g->probe.ast);
	LLVMValueRef plain;

	if (!uses) {
		plain = GEN_CALL(g, "sonde_syscall_is_plain", prog_context_pointer(g, 0));
		LLVMBuildCondBr(g->b, gen_truth(g, plain), traced, ask);
	} else {
		LLVMBuildBr(g->b, ask);
	}
	LLVMPositionBuilderAtEnd(g->b, ask);
	if (g->plan->needs.only_cgroup || g->plan->n_probes < MANY_PROBES) {
		only_if_native(g, out);
		prog_scope_test(g, out);
	} else {
		g->body.current = gen_task(g);
		gen_only_if(g, GEN_CALL(g, "sonde_syscall_traced", g->body.current), out);
	}
	gen_enter(g, traced);
	if (!uses)
		/* body.current was fetched on one of the paths only */
		g->body.current = NULL;
}

/* The gen column of spans.def. */
static gen_span_fn *const span_generators[] = {
#define SPAN(id, start, state, slots, key, same, ended, gen, doc) [SPAN_##id] = gen,
#include "parser/lang/spans.def"
};

_Static_assert(sizeof(span_generators) / sizeof(*span_generators) == SPAN_COUNT,
	       "one hook for each kind");

void gen_span(struct gen *g, LLVMBasicBlockRef out)
{
	span_generators[g->probe.plan->state.kind](g, out);
}

/* ---- kinds of programs -------------------------------------------------------------------- */

void gen_plain(struct gen *g, LLVMBasicBlockRef out)
{
	bool scoped = prog_kind_is(g->prog.plan->kind, PK_SCOPED);

	g->probe.is_start =
		g->prog.plan->n_probes == 0; /* a hidden program at a function's entry */
	prog_select_probe(g, g->probe.is_start ? g->prog.plan->starts[0] : g->prog.plan->probes[0]);
	if (g->probe.is_start || g->probe.plan->state.kind) {
		if (scoped && g->probe.plan->state.kind == SPAN_FIRING)
			prog_scope_test(g, out);
		gen_span(g, out);
		return;
	}
	if (scoped)
		prog_scope_test(g, out);
	prog_body(g);
	for (uint32_t i = 1; i < g->prog.plan->n_probes;
	     i++) { /* of samples: a recorder's come first */
		gen_buffers_end(g, 0);
		prog_select_probe(g, g->prog.plan->probes[i]);
		prog_body(g);
	}
	LLVMBuildBr(g->b, out);
}

void gen_switch_span(struct gen *g, LLVMBasicBlockRef out)
{
	prog_select_probe(g, g->prog.plan->probes[0]);
	gen_span(g, out);
}

/* Scope test and body of one probe of a system-call program, or the start of its spans. */
static void gen_syscall_probe(struct gen *g, LLVMBasicBlockRef next)
{
	if (g->probe.is_start || g->probe.plan->state.kind) {
		if (g->probe.plan->syscall.number >= 0)
			only_if_native(g, next);
		gen_span(g, next);
		return;
	}
	only_if_traced(g, next);
	prog_body(g);
	LLVMBuildBr(g->b, next);
}

void prog_only_if_number(struct gen *g, LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef here;
	LLVMValueRef numbers;

	if (g->probe.plan->syscall.number < 0)
		return;
	here = gen_block(g, "call");
	numbers = LLVMBuildSwitch(g->b, g->body.syscall, otherwise,
				  g->probe.plan->syscall.n_more + 1);
	LLVMAddCase(numbers, gen_u64(g, (uint64_t)g->probe.plan->syscall.number), here);
	for (uint32_t i = 0; i < g->probe.plan->syscall.n_more; i++)
		LLVMAddCase(numbers, gen_u64(g, (uint64_t)g->probe.plan->syscall.more[i]), here);
	LLVMPositionBuilderAtEnd(g->b, here);
}

static void gen_syscall_case(struct gen *g, uint32_t id, bool is_start)
{
	LLVMBasicBlockRef next = gen_block(g, "next");

	prog_select_probe(g, id);
	g->probe.is_start = is_start;
	prog_only_if_number(g, next);
	gen_syscall_probe(g, next);
	/* body.current was fetched on the path of this case only */
	g->body.current = NULL;
	g->probe.is_start = false;
	LLVMPositionBuilderAtEnd(g->b, next);
}

/* sys_enter(regs, number); sys_exit(regs, result) */
void gen_syscalls(struct gen *g, LLVMBasicBlockRef out)
{
	const struct plan_prog *p = g->prog.plan;
	uint32_t n_slots;

	prog_rebuild_words(g);
	n_slots = g->n_slots;
	g->body.syscall = prog_kind_is(g->prog.plan->kind, PK_RETURN)
				  ? GEN_CALL(g, "sonde_syscall_number", prog_context_pointer(g, 0))
				  : context_word(g, 1);
	/* starts come last, so that the clock is read late */
	for (uint32_t i = 0; i < p->n_probes + p->n_starts; i++) {
		bool is_start = i >= p->n_probes;

		if (i)
			gen_buffers_end(g, n_slots);
		gen_syscall_case(g, is_start ? p->starts[i - p->n_probes] : p->probes[i], is_start);
	}
	LLVMBuildBr(g->b, out);
}

/* sched_process_fork(parent, child) */
void gen_scope_fork(struct gen *g, LLVMBasicBlockRef out)
{
	GEN_CALL(g, "sonde_scope_fork", prog_context_pointer(g, 0), prog_context_pointer(g, 1));
	LLVMBuildBr(g->b, out);
}

/* sched_process_exec(task, …) */
void gen_scope_exec(struct gen *g, LLVMBasicBlockRef out)
{
	GEN_CALL(g, "sonde_scope_exec", prog_context_pointer(g, 0));
	if (g->plan->needs.unwind)
		GEN_CALL(g, "sonde_exec_ask", prog_context_pointer(g, 0));
	LLVMBuildBr(g->b, out);
}

void gen_exec(struct gen *g, LLVMBasicBlockRef out)
{
	GEN_CALL(g, "sonde_exec_ask", prog_context_pointer(g, 0));
	LLVMBuildBr(g->b, out);
}

/* The gen column of prog_kinds.def. */
static gen_prog_fn *const generators[] = {
#define PROG_KIND(id, name, section, frames, gen, ...) [PP_##id] = gen,
#include "parser/lang/prog_kinds.def"
};

_Static_assert(sizeof(generators) / sizeof(*generators) == PP_KIND_COUNT, "one hook for each kind");

void gen_no_unwind(struct gen *g, LLVMValueRef fn)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));

	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(g->llvm, kind, 0));
}

/* Programs can stay attached for a while after tracing has ended: exit() was called, or their perf
 * events are being closed. */
static bool stops_after_exit(const struct gen *g)
{
	const struct plan_prog *p = g->prog.plan;

	/* A pinned iterator outlives the tracer; tests run one at a time. */
	if (plan_pin(p) || prog_kind_is(p->kind, PK_TEST))
		return false;
	return (p->n_probes || p->n_starts || p->prefaults) &&
	       !prog_kind_is(g->prog.plan->kind, PK_OUTSIDE);
}

/* Skip the body if the probed instruction is a conditional jump that is not taken. */
static void only_if_jump_taken(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef flags = gen_register(g, regs.flags);

	gen_only_if(g,
		    GEN_CALL(g, "sonde_jump_is_taken", flags,
			     gen_masked(g, gen_cookie_format(g), PLAN_IS_JUMP - 1)),
		    out);
}

static bool is_session(const struct gen *g)
{
	return prog_kind_is(g->prog.plan->kind, PK_SESSION);
}

void gen_program(struct gen *g, uint32_t index)
{
	LLVMTypeRef type = LLVMFunctionType(g->i32, &g->ptr, 1, false);
	LLVMBasicBlockRef body, out;
	struct span span;

	g->prog.id = index;
	g->n_slots = 0;
	g->body.current = g->body.syscall = NULL;
	g->prog.plan = &g->plan->progs[index];
	span = g->prog.plan->n_probes ? g->plan->probes[g->prog.plan->probes[0]].span : SPAN_NONE;
	g->body.fn = LLVMAddFunction(g->module, g->prog.plan->symbol, type);
	LLVMSetSection(g->body.fn, g->prog.plan->section);
	gen_no_unwind(g, g->body.fn);
	g->body.words = g->body.ctx = LLVMGetParam(g->body.fn, 0);
	g->body.di_fn = gen_di_program(g, g->body.fn, g->prog.plan->symbol, span);
	g->body.entry = gen_block(g, "entry");
	body = gen_block(g, "body");
	out = gen_block(g, "out");
	LLVMPositionBuilderAtEnd(g->b, g->body.entry);
	gen_location(g, span);
	g->prog.result = prog_kind_is(g->prog.plan->kind, PK_TEST) || is_session(g)
				 ? LLVMBuildAlloca(g->b, g->i32, "result")
				 : NULL;
	cost_reserve(g);
	LLVMPositionBuilderAtEnd(g->b, body);
	cost_clock(g);
	if (g->prog.plan->is_sleepable)
		gen_call_helper(g, "sonde_fault_enter", NULL, 0);
	if (stops_after_exit(g))
		unless_exiting(g, out);
	if (plan_by_condition(g->prog.plan))
		only_if_jump_taken(g, out);
	(g->prog.plan->prefaults ? gen_prefault_program : generators[g->prog.plan->kind])(g, out);
	LLVMPositionBuilderAtEnd(g->b, out);
	/* the code after the body does not belong to the last statement */
	gen_location(g, span);
	if (g->prog.plan->is_sleepable)
		gen_call_helper(g, "sonde_fault_leave", NULL, 0);
	cost_leave(g);
	/* with 0 the kernel would keep the event from perf and others who count or record it */
	LLVMBuildRet(g->b,
		     g->prog.result
			     ? LLVMBuildLoad2(g->b, g->i32, g->prog.result, "")
			     : LLVMConstInt(g->i32, prog_kind_is(g->prog.plan->kind, PK_RECORD),
					    false));
	LLVMPositionBuilderAtEnd(g->b, g->body.entry);
	if (g->prog.result)
		LLVMBuildStore(g->b, gen_u32(g, is_session(g)), g->prog.result);
	LLVMBuildBr(g->b, body);
}
