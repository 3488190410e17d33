/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel programs: entry, scope, the dispatch of system calls, the two ends of an off-CPU span, and
 * the probe's predicate and body within.
 */
#include "../parser/arena.h"
#include "gen.h"
#include "gen_hooks.h"
#include <string.h>

enum { HELPER_KTIME_GET_NS = 5 };

/* Go on only when `cond` (i1), else to `otherwise`. */
static void only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef then = gen_block(g, "if");

	LLVMBuildCondBr(g->b, cond, then, otherwise);
	LLVMPositionBuilderAtEnd(g->b, then);
}

static void begin_vars(struct gen *g)
{
	g->vars = arena_alloc(g->arena, (g->ast->n_vars + 1) * sizeof(*g->vars));
	for (uint32_t i = 0; i < g->ast->n_vars; i++) {
		const struct type *t = g->ast->vars[i]->type;

		g->vars[i] = gen_big_buffer(g, t->size);
		gen_zero(g, g->vars[i], t->size);
	}
}

/* Which maps does the probe touch? Each one's epoch is read once, here. */
static void epoch_expr(struct expr *e, void *ctx)
{
	struct gen *g = ctx;

	if (e->kind == EX_MAP && !g->epochs[e->map.map->id]) {
		uint32_t id = e->map.map->id;

		g->epochs[id] = gen_buffer(g, 4);
		gen_epoch_forget(g, id);
	}
	ast_each_child(e, epoch_expr, g);
}

static void epoch_block(struct gen *g, const struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		if (st->kind == ST_EXPR)
			epoch_expr(st->expr, g);
		if (st->kind == ST_ASSIGN) {
			epoch_expr(st->assign.target, g);
			epoch_expr(st->assign.value, g);
		}
		if (st->kind == ST_IF) {
			epoch_expr(st->branch.cond, g);
			epoch_block(g, &st->branch.then);
			epoch_block(g, &st->branch.otherwise);
		}
		if (st->kind == ST_BLOCK)
			epoch_block(g, &st->block);
	}
}

static bool is_start_cond(const struct probe *p, const struct expr *e)
{
	for (uint32_t i = 0; i < p->n_start_conds; i++)
		if (p->start_conds[i] == e)
			return true;
	return false;
}

/* Leave to `out` unless the predicate holds; parts that a span's start has tested are left out. */
static void gen_predicate(struct gen *g, struct expr *e, LLVMBasicBlockRef out)
{
	if (e->kind == EX_BINARY && e->binary.op == OP_LAND) {
		gen_predicate(g, e->binary.left, out);
		gen_predicate(g, e->binary.right, out);
		return;
	}
	if (g->span && is_start_cond(g->ast, e))
		return;
	only_if(g, gen_truth(g, gen_int(g, e)), out);
}

static void select_probe(struct gen *g, uint32_t id)
{
	g->probe_id = id;
	g->probe = &g->plan->probes[id];
	g->ast = g->program->probes[g->probe->ast];
	g->point = &g->ast->points[g->probe->point];
	g->epochs = arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->epochs));
	gen_place(g, g->probe->span);
}

/* Predicate and body; ends at a new block to go on from. */
static void gen_body(struct gen *g)
{
	g->done = gen_block(g, "done");
	gen_room_begin(g);
	begin_vars(g);
	if (g->ast->predicate)
		epoch_expr(g->ast->predicate, g);
	epoch_block(g, &g->ast->body);
	if (g->ast->predicate)
		gen_predicate(g, g->ast->predicate, g->done);
	gen_stmts(g, &g->ast->body);
	LLVMBuildBr(g->b, g->done);
	LLVMPositionBuilderAtEnd(g->b, g->done);
	gen_room_end(g);
}

static LLVMValueRef context_word(struct gen *g, uint32_t i)
{
	return LLVMBuildLoad2(g->b, g->i64, gen_at(g, g->ctx, i * 8), "");
}

static LLVMValueRef context_pointer(struct gen *g, uint32_t i)
{
	return LLVMBuildLoad2(g->b, g->ptr, gen_at(g, g->ctx, i * 8), "");
}

static void scope_test(struct gen *g, LLVMBasicBlockRef out)
{
	g->pid_tgid = gen_pid_tgid(g);
	only_if(g, gen_truth(g, GEN_OWN(g, "sonde_scope_current", g->pid_tgid)), out);
}

/* ---- kinds of programs -------------------------------------------------------------------- */

static void gen_plain(struct gen *g, LLVMBasicBlockRef out, bool scoped)
{
	select_probe(g, g->prog->probes[0]);
	if (scoped)
		scope_test(g, out);
	gen_body(g);
	LLVMBuildBr(g->b, out);
}

/* One of the probes of a system-call program: its number's case. */
static void gen_syscall_probe(struct gen *g, uint32_t id, LLVMValueRef number)
{
	LLVMBasicBlockRef next;
	LLVMValueRef want;

	select_probe(g, id);
	next = gen_block(g, "next");
	want = gen_u64(g, (uint64_t)g->probe->syscall);
	only_if(g, LLVMBuildICmp(g->b, LLVMIntEQ, number, want, ""), next);
	scope_test(g, next);
	only_if(g, LLVMBuildNot(g->b, gen_truth(g, gen_own(g, "sonde_syscall_is_compat", NULL, 0)), ""), next);
	gen_body(g);
	g->pid_tgid = NULL; /* known on this case's path only */
	LLVMBuildBr(g->b, next);
	LLVMPositionBuilderAtEnd(g->b, next);
}

/* sys_enter(regs, number); sys_exit(regs, result) */
static void gen_syscalls(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef number = g->prog->kind == PP_SYSCALL_ENTER
				      ? context_word(g, 1)
				      : GEN_OWN(g, "sonde_syscall_number", context_pointer(g, 0));

	for (uint32_t i = 0; i < g->prog->n_probes; i++)
		gen_syscall_probe(g, g->prog->probes[i], number);
	LLVMBuildBr(g->b, out);
}

/* What the span's end will need and only its start can see. */
static void keep_state(struct gen *g, LLVMValueRef state)
{
	const struct plan_probe *q = g->probe;

	if (q->span_ustack >= 0)
		LLVMBuildStore(g->b,
			       GEN_OWN(g, "sonde_stack_user", g->ctx, gen_u32(g, g->probe_id),
				       gen_u32(g, 0)),
			       gen_at(g, state, (uint32_t)q->span_ustack));
	for (uint32_t i = 0; i < q->n_span_args; i++)
		gen_store(g, gen_rebuilt_field(g, q->span_arg_names[i], q->span_args[i].type),
			  q->span_args[i].type, gen_at(g, state, q->span_args[i].offset));
}

/* The thread that leaves is the current one: the cheap helpers serve. */
static void span_start(struct gen *g, LLVMValueRef leaves, LLVMBasicBlockRef end)
{
	LLVMValueRef state;

	only_if(g, gen_truth(g, GEN_OWN(g, "sonde_span_begins", leaves)), end);
	scope_test(g, end);
	for (uint32_t i = 0; i < g->ast->n_start_conds; i++)
		only_if(g, gen_truth(g, gen_int(g, g->ast->start_conds[i])), end);
	state = GEN_OWN(g, "sonde_span_open", g->spans[g->probe_id], leaves, gen_u32(g, g->probe_id));
	only_if(g, LLVMBuildIsNotNull(g->b, state, ""), end);
	LLVMBuildStore(g->b, gen_helper(g, HELPER_KTIME_GET_NS, NULL, 0), state);
	keep_state(g, state);
	LLVMBuildBr(g->b, end);
}

static void span_end(struct gen *g, LLVMValueRef returns, LLVMBasicBlockRef out)
{
	LLVMValueRef state, start, now;

	g->pid_tgid = NULL; /* computed on the start's path, and of another thread */
	only_if(g, gen_truth(g, GEN_OWN(g, "sonde_span_ends", returns)), out);
	only_if(g, gen_truth(g, GEN_OWN(g, "sonde_scope_may_have", returns)), out);
	state = GEN_OWN(g, "sonde_span_find", g->spans[g->probe_id], returns);
	only_if(g, LLVMBuildIsNotNull(g->b, state, ""), out);
	start = LLVMBuildLoad2(g->b, g->i64, state, "");
	only_if(g, gen_truth(g, start), out);
	LLVMBuildStore(g->b, gen_u64(g, 0), state);
	now = gen_helper(g, HELPER_KTIME_GET_NS, NULL, 0);
	g->delta = LLVMBuildSub(g->b, now, start, "");
	g->subject = returns;
	g->span = state;
	gen_body(g);
	g->delta = g->subject = g->span = NULL;
	LLVMBuildBr(g->b, out);
}

/* sched_switch(preempt, prev, next): one event ends prev's time on the CPU and next's time off it. The
 * clock is read late and perhaps twice: most switches of a filtered script end before. */
static void gen_switch_span(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef end = gen_block(g, "span.end");

	select_probe(g, g->prog->probes[0]);
	span_start(g, context_pointer(g, 1), end);
	LLVMPositionBuilderAtEnd(g->b, end);
	span_end(g, context_pointer(g, 2), out);
}

/* sched_process_fork(parent, child) */
static void gen_scope_fork(struct gen *g, LLVMBasicBlockRef out)
{
	GEN_OWN(g, "sonde_scope_fork", context_pointer(g, 0), context_pointer(g, 1));
	LLVMBuildBr(g->b, out);
}

/* sched_process_exec(task, …) */
static void gen_scope_exec(struct gen *g, LLVMBasicBlockRef out)
{
	GEN_OWN(g, "sonde_scope_exec", context_pointer(g, 0));
	LLVMBuildBr(g->b, out);
}

static void gen_by_kind(struct gen *g, LLVMBasicBlockRef out)
{
	switch (g->prog->kind) {
	case PP_BEGIN:
	case PP_END:
	case PP_INTERVAL:
		gen_plain(g, out, false);
		return;
	case PP_RAW_TP:
	case PP_TP_BTF:
	case PP_TRACEPOINT:
	case PP_KPROBE:
	case PP_KRETPROBE:
	case PP_UPROBE:
	case PP_URETPROBE:
		gen_plain(g, out, true);
		return;
	case PP_SYSCALL_ENTER:
	case PP_SYSCALL_EXIT:
		gen_syscalls(g, out);
		return;
	case PP_SWITCH_SPAN:
		gen_switch_span(g, out);
		return;
	case PP_SCOPE_FORK:
		gen_scope_fork(g, out);
		return;
	case PP_SCOPE_EXEC:
		gen_scope_exec(g, out);
		return;
	case PP_KIND_COUNT:
		return;
	}
}

static void add_attribute(struct gen *g, LLVMValueRef fn, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(g->llvm, kind, 0));
}

/* Programs that can be attached for a while after tracing has ended: exit() was called, or their perf
 * events are being closed. */
static bool stops_after_exit(const struct gen *g)
{
	return g->prog->n_probes && g->prog->kind != PP_BEGIN && g->prog->kind != PP_END;
}

void gen_program(struct gen *g, uint32_t index)
{
	LLVMTypeRef type = LLVMFunctionType(g->i32, &g->ptr, 1, false);
	LLVMBasicBlockRef body, out;

	g->prog_id = index;
	g->pid_tgid = NULL;
	g->prog = &g->plan->progs[index];
	g->fn = LLVMAddFunction(g->module, g->prog->symbol, type);
	LLVMSetSection(g->fn, g->prog->section);
	add_attribute(g, g->fn, "nounwind");
	g->ctx = LLVMGetParam(g->fn, 0);
	g->di_fn = gen_di_program(g, g->fn, g->prog->symbol,
				  g->prog->n_probes ? g->plan->probes[g->prog->probes[0]].span
						    : SPAN_NONE);
	g->entry = gen_block(g, "entry");
	body = gen_block(g, "body");
	out = gen_block(g, "out");
	LLVMPositionBuilderAtEnd(g->b, body);
	gen_place(g, g->prog->n_probes ? g->plan->probes[g->prog->probes[0]].span : SPAN_NONE);
	if (stops_after_exit(g))
		only_if(g, LLVMBuildNot(g->b, gen_truth(g, gen_own(g, "sonde_control_exiting", NULL, 0)), ""),
			out);
	gen_by_kind(g, out);
	LLVMPositionBuilderAtEnd(g->b, out);
	LLVMBuildRet(g->b, LLVMConstInt(g->i32, 0, false));
	LLVMPositionBuilderAtEnd(g->b, g->entry);
	LLVMBuildBr(g->b, body);
}
