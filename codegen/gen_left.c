/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that an exception or longjmp has left. They are found at an entry or return further out,
 * and counted. With open_spans = count, span() shows them there.
 */
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"
#include "parser/base/regs.h"

LLVMValueRef span_remaining_calls(struct gen *g, LLVMValueRef calls, LLVMValueRef sp,
				  LLVMValueRef target, LLVMBasicBlockRef out)
{
	LLVMValueRef shape = span_shape(g), n;
	bool is_several = plan_has_cookie(g->prog.plan) || span_is_shared(g);

	if (g->prog.plan->has_loops) {
		n = GEN_CALL(g, "sonde_span_remain_loop", calls, sp, target, shape,
			     plan_has_cookie(g->prog.plan) ? gen_cookie_format(g) : gen_u64(g, 1));
		gen_only_if(g, gen_compare(g, LLVMIntNE, n, ~0ull), out);
		return n;
	}
	if (!is_several || probe_space(g->probe.point) != SPACE_USER)
		return GEN_CALL(g, "sonde_span_remain", calls, sp, target, shape,
				span_stack_mask(g));
	if (probe_ends_at_jumps(g->probe.point))
		return GEN_CALL(g, "sonde_span_remain_called", calls, sp, shape);
	return GEN_CALL(g, "sonde_span_remain_user", calls, sp, shape,
			regs.link < 0 ? gen_u64(g, 0) : gen_register(g, (uint32_t)regs.link));
}

/* span(), span("NAME"), or span(call), as a statement of the body: it needs nothing but the span. */
static bool is_plain_span(const struct gen *g, const struct stmt *st)
{
	const struct expr *e = st->kind == ST_EXPR ? st->expr : NULL;
	const struct plan_event *ev;

	if (!e || e->kind != EX_CALL || e->call.event < 0)
		return false;
	ev = &g->plan->events[e->call.event];
	return ev->kind == PE_SPAN && !ev->n_pieces &&
	       (!e->call.n_args || !ev->n_fields || ev->fields[0].type->kind == TY_CALL);
}

/* True if the block has one; they are generated if `generates`. What is in the branch that `if
 * comptime` has taken is in a block of its own. */
static bool plain_spans(struct gen *g, const struct block *block, bool generates)
{
	bool found = false;

	for (uint32_t i = 0; i < block->n; i++) {
		const struct stmt *st = block->items[i];

		if (st->kind == ST_BLOCK)
			found |= plain_spans(g, &st->block, generates);
		if (!is_plain_span(g, st))
			continue;
		found = true;
		if (generates)
			gen_expr(g, st->expr);
	}
	return found;
}

static void left_body(struct gen *g)
{
	g->body.done = g->body.exit = gen_block(g, "done");
	gen_scratch_begin(g);
	gen_frame_begin(g);
	if (g->probe.ast->predicate)
		prog_predicate(g, g->probe.ast->predicate, g->body.done);
	plain_spans(g, &g->probe.ast->body, true);
	gen_enter(g, g->body.done);
	gen_scratch_end(g);
}

/* One of them; at `at` are the time by which they had been left, and the number of the innermost,
 * which comes first. Its function may be that of another attach point of the probe. */
static void left_call(struct gen *g, LLVMValueRef i, LLVMValueRef at, LLVMBasicBlockRef out)
{
	LLVMValueRef end = gen_word(g, at), last = gen_word(g, gen_at(g, at, 8)), calls, slot,
		     start;
	uint32_t owner = g->probe.plan->state.owner;

	g->body.subject = gen_task(g);
	calls = span_find(g, g->body.subject, out);
	i = LLVMBuildSub(g->b, last, i, "");
	slot = GEN_CALL(g, "sonde_span_call", calls, i, span_shape(g));
	start = span_take(g, slot, out);
	for (uint32_t p = owner; p < g->plan->n_probes; p++) {
		LLVMBasicBlockRef next = gen_block(g, "next");

		if (g->plan->probes[p].state.kind != SPAN_RETURN ||
		    g->plan->probes[p].state.owner != owner)
			continue;
		prog_select_probe(g, p);
		span_only_if_mine(g, slot, next);
		g->body.span = slot;
		g->body.depth = gen_plus(g, i, 1);
		g->body.began = start;
		g->body.delta = g->body.self = GEN_CALL(g, "sonde_open_length", start, end);
		left_body(g);
		gen_enter(g, next);
	}
	LLVMBuildBr(g->b, out);
}

/* Show them: run each plain span() of the body for which the predicate is true. */
static void show_left(struct gen *g, LLVMValueRef first, LLVMValueRef n, LLVMValueRef now)
{
	struct gen_probe probe = g->probe;
	LLVMValueRef with, fn;

	if (g->program->config.open_spans != OPEN_SPANS_COUNT ||
	    probe_space(g->probe.point) != SPACE_USER ||
	    !plain_spans(g, &g->probe.ast->body, false))
		return;
	with = gen_buffer(g, 16);
	LLVMBuildStore(g->b, now ? now : span_clock(g), with);
	LLVMBuildStore(g->b,
		       LLVMBuildSub(g->b, LLVMBuildAdd(g->b, first, n, ""), gen_u64(g, 1), ""),
		       gen_at(g, with, 8));
	g->probe.is_open = g->probe.is_left = true;
	fn = span_callback(g, now ? "left_before" : "left", left_call);
	g->probe = probe;
	GEN_HELPER(g, BPF_FUNC_loop, n, fn, with, gen_u64(g, 0));
}

void span_leave_calls(struct gen *g, LLVMValueRef calls, LLVMValueRef first, LLVMValueRef n,
		      LLVMValueRef now)
{
	LLVMBasicBlockRef none = gen_block(g, "left.end");

	gen_only_if(g, n, none);
	if (span_is_shared(g))
		GEN_CALL(g, "sonde_span_missed_own", calls, first, n, span_shape(g),
			 gen_u32(g, PLAN_FORMAT_BIT), gen_u32(g, g->probe.plan->state.owner));
	else
		GEN_CALL(g, "sonde_span_missed", n, span_probe_id(g));
	show_left(g, first, n, now);
	gen_enter(g, none);
}
