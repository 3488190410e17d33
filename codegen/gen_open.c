/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open spans. One program visits all threads, for spans that have not ended when tracing ends.
 * Another runs when a thread ends, for its open calls.
 */
#include "codegen/gen_cost.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"

/* Test the cgroup of a thread other than the current one. */
void span_test_cgroup(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	if (g->plan->needs.only_cgroup)
		gen_only_if(g, GEN_CALL(g, "sonde_cgroup_has", task), out);
}

static void find_cut(struct expr *e, void *ctx)
{
	const struct builtin *b = ast_builtin(e);

	*(bool *)ctx |= b && b->traits & TR_CUT;
	ast_each_child(e, find_cut, ctx);
}

bool span_tells_cut(struct gen *g)
{
	bool found = false;

	ast_each_in_probe(g->probe.ast, find_cut, &found);
	return found;
}

/* Split a start time into the time and `cut`: the highest bit marks a start that was not seen
 * (sonde_open_mark). */
LLVMValueRef span_unmark(struct gen *g, LLVMValueRef start)
{
	LLVMValueRef one = gen_u64(g, 1);

	g->body.cut = gen_shifted(g, start, 63);
	return LLVMBuildLShr(g->b, LLVMBuildShl(g->b, start, one, ""), one, "");
}

void span_store_args(struct gen *g, LLVMValueRef slot)
{
	const struct plan_span *state = &g->probe.plan->state;

	for (uint32_t i = 0; i < state->n_args; i++)
		gen_store(g, gen_rebuilt_field(g, state->arg_names[i], state->args[i].type),
			  state->args[i].type, gen_at(g, slot, state->args[i].offset));
}

/* Clears *ctx if a part of `e` is a value of the event, not of the thread that it is about. */
static void check_is_of_thread(struct expr *e, void *ctx)
{
	const struct builtin *b = ast_builtin(e);

	if (ast_is_args(e)) {
		*(bool *)ctx = false;
		return;
	}
	if (ast_is_args_field(e)) {
		*(bool *)ctx &= gen_is_thread_field(e->field.name);
		return;
	}
	*(bool *)ctx &= !b || b->traits & (TR_TASK | TR_CONST);
	ast_each_child(e, check_is_of_thread, ctx);
}

/* Can all that the span stores be read from a thread that is off the CPU, without the switch
 * event? */
static bool is_of_thread(struct gen *g)
{
	const struct plan_span *kept = &g->probe.plan->state;
	bool is = true;

	for (uint32_t i = 0; i < kept->n_args; i++)
		is &= gen_is_thread_field(kept->arg_names[i]);
	for (uint32_t i = 0; i < kept->n_entries; i++)
		check_is_of_thread(g->probe.ast->entries[i]->call.args[0], &is);
	return is;
}

/* Mark a thread that is off the CPU when tracing begins: its span starts now. Not done for spans
 * that store what only the switch event shows. The thread's user stack is read later. */
static void mark_off_cpu(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	const struct plan_span *kept = &g->probe.plan->state;
	LLVMValueRef state;

	if (is_of_thread(g)) {
		gen_only_if(g, GEN_CALL(g, "sonde_span_begins", task), out);
		gen_only_if(g, GEN_CALL(g, "sonde_scope_current", task), out);
		span_test_cgroup(g, task, out);
		span_test_conds(g, out);
		state = span_open(g, task, out);
		gen_only_if(g, GEN_CALL(g, "sonde_open_is_free", state), out);
		span_store_args(g, state);
		span_store_reason(g, state);
		span_store_entries(g, state);
		for (uint32_t i = 0; i < kept->n_kstacks; i++)
			LLVMBuildStore(g->b, gen_u64(g, 0),
				       gen_at(g, state, kept->kstacks[i].field.offset));
		gen_only_if(g, GEN_CALL(g, "sonde_open_mark", state), out);
		for (uint32_t i = 0; i < kept->n_stacks; i++)
			GEN_CALL(g, "sonde_open_unseen",
				 gen_at(g, state, kept->stacks[i].field.offset), task,
				 span_probe_id(g));
	}
	LLVMBuildBr(g->b, out);
}

/* Mark a thread that runs when tracing begins: its time on the CPU starts now. */
static void mark_on_cpu(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	gen_only_if(g, GEN_CALL(g, "sonde_scope_current", task), out);
	span_test_cgroup(g, task, out);
	GEN_CALL(g, "sonde_open_mark", span_open(g, task, out));
	LLVMBuildBr(g->b, out);
}

static void open_begin(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef end = gen_block(g, "end");

	gen_only_if(g, gen_call_helper(g, "sonde_open_begins", NULL, 0), end);
	if (g->probe.plan->state.kind == SPAN_SWITCH) {
		gen_only_if(g, GEN_CALL(g, "sonde_open_is_off_cpu", task), out);
		mark_off_cpu(g, task, out);
	} else if (g->probe.plan->state.kind == SPAN_SLICE) {
		gen_only_if(g, GEN_CALL(g, "sonde_open_is_on_cpu", task), out);
		mark_on_cpu(g, task, out);
	} else {
		LLVMBuildBr(g->b, out);
	}
	LLVMPositionBuilderAtEnd(g->b, end);
}

/* One open span of a thread. */
struct open {
	LLVMValueRef task, state;
	/* i64, number of the open call, 0 for the outermost; NULL: spans do not nest */
	LLVMValueRef index;
	LLVMValueRef end; /* i64, the time until which the span counts */
};

/* The slot of the thread's open span; if it has several open calls, of the requested one. Go to
 * `out` if there is none. */
static LLVMValueRef open_slot(struct gen *g, const struct open *o, LLVMBasicBlockRef out)
{
	LLVMValueRef slot = o->state;

	if (o->index) {
		slot = GEN_CALL(g, "sonde_open_call", o->state, o->index, span_shape(g));
		gen_only_if(g, slot, out);
		g->body.depth = gen_plus(g, o->index, 1);
		span_only_if_mine(g, slot, out);
	}
	if (g->probe.plan->state.kind == SPAN_SYSCALL) {
		g->body.syscall = gen_word(g, gen_at(g, slot, 8));
		prog_only_if_number(g, out);
	}
	return slot;
}

/* Run the body for the span in `slot`. */
static void open_body(struct gen *g, const struct open *o, LLVMValueRef slot, LLVMValueRef start,
		      LLVMBasicBlockRef out)
{
	uint32_t inside = g->probe.plan->state.inside;
	LLVMValueRef length = GEN_CALL(g, "sonde_open_length", start, o->end);

	g->body.delta = cost_less_open(g, o->task, slot, length, out);
	if (inside)
		g->body.self =
			GEN_CALL(g, "sonde_open_self", o->state, o->index, gen_at(g, slot, inside),
				 g->body.delta, o->end, span_shape(g));
	span_body(g, slot, start, g->body.delta);
}

/* The iter/task program for open spans. Its context is {meta, task}; task is NULL in a last call
 * after all threads. No other program of the script runs in the meantime. */
void gen_open_spans(struct gen *g, LLVMBasicBlockRef out)
{
	struct open o = {.task = prog_context_pointer(g, 1)};
	LLVMValueRef slot, start;

	prog_select_probe(g, g->prog.plan->probes[0]);
	gen_only_if(g, o.task, out);
	g->probe.is_open = true;
	g->body.subject = o.task;
	open_begin(g, o.task, out);
	o.state = span_find(g, o.task, out);
	if (g->probe.plan->state.slots > 1)
		o.index = GEN_CALL(g, "sonde_open_index", o.state);
	o.end = gen_call_helper(g, "sonde_open_end", NULL, 0);
	slot = open_slot(g, &o, out);
	start = span_take(g, slot, out);
	if (!o.index)
		LLVMBuildStore(g->b, gen_u64(g, 0), slot);
	if (g->probe.plan->state.kind == SPAN_SWITCH)
		gen_only_if(g, GEN_CALL(g, "sonde_open_is_off_cpu", o.task), out);
	if (g->probe.plan->state.kind == SPAN_SLICE)
		gen_only_if(g, GEN_CALL(g, "sonde_open_slice", start, o.task), out);
	open_body(g, &o, slot, span_unmark(g, start), out);
	g->probe.is_open = false;
	LLVMBuildBr(g->b, out);
}

/* ---- threads that end ---------------------------------------------------------------------- */

/* One call of the thread that ends; at `at` is the time at which they all end. The outermost comes
 * first, as at the end of tracing. */
static void ended_call(struct gen *g, LLVMValueRef index, LLVMValueRef at, LLVMBasicBlockRef out)
{
	struct open o = {.task = gen_task(g), .index = index, .end = gen_word(g, at)};
	LLVMValueRef slot, start;

	g->body.subject = o.task;
	o.state = span_find(g, o.task, out);
	slot = open_slot(g, &o, out);
	start = span_take(g, slot, out);
	LLVMBuildStore(g->b, gen_u64(g, 0), slot);
	open_body(g, &o, slot, start, out);
	LLVMBuildBr(g->b, out);
}

LLVMValueRef span_callback(struct gen *g, const char *what,
			   void (*each)(struct gen *g, LLVMValueRef number, LLVMValueRef at,
					LLVMBasicBlockRef out))
{
	struct gen_body outer = g->body;
	LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b), out;
	LLVMTypeRef params[] = {g->i64, g->ptr};
	const char *name = arena_printf(g->arena, "%s_%s", g->prog.plan->symbol, what);
	LLVMValueRef fn;

	g->body = (struct gen_body){.epochs = outer.epochs, .loop_frames = 1};
	fn = gen_function_begin(g, name, LLVMFunctionType(g->i64, params, 2, false),
				g->probe.plan->span);
	out = gen_block(g, "out");
	each(g, LLVMGetParam(fn, 0), LLVMGetParam(fn, 1), out);
	LLVMPositionBuilderAtEnd(g->b, out);
	LLVMBuildRet(g->b, gen_u64(g, 0));
	gen_function_end(g);
	g->body = outer;
	LLVMPositionBuilderAtEnd(g->b, at);
	gen_location(g, g->probe.plan->span);
	return fn;
}

/* This program runs in a thread that ends or executes another program, so that its open calls never
 * return. */
void gen_ended_calls(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef state, end, n;

	prog_select_probe(g, g->prog.plan->probes[0]);
	g->probe.is_open = true;
	state = span_find(g, gen_task(g), out);
	end = gen_buffer(g, 8);
	LLVMBuildStore(g->b, span_clock(g), end);
	n = gen_word(g, state);
	GEN_HELPER(g, BPF_FUNC_loop, n, span_callback(g, "call", ended_call), end, gen_u64(g, 0));
	GEN_CALL(g, "sonde_open_forget", state, span_shape(g));
	g->probe.is_open = false;
	LLVMBuildBr(g->b, out);
}
