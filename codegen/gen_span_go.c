/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of functions of Go, and of programs that switch stacks. A goroutine can return on another
 * thread than the one on which it made the call, and its stack can move meanwhile, so calls are
 * kept by goroutine (bpf_helpers/goroutine.bpf.c).
 */
#include "codegen/gen_cost.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"
#include "parser/base/regs.h"

/* Of a program that switches stacks: a call is known by its frame alone. */
static bool is_of_stack(const struct gen *g)
{
	return probe_abi(g->probe.point) == USER_ABI_C;
}

/* The key of the call that begins or returns; go to `out` if its goroutine cannot be read. */
static LLVMValueRef call_key(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef key = gen_buffer(g, SONDE_GOROUTINE_KEY), is_known;

	if (is_of_stack(g)) {
		GEN_CALL(g, "sonde_goroutine_frame_key", key, gen_task(g),
			 gen_register(g, regs.sp));
		return key;
	}
	is_known = GEN_CALL(g, "sonde_goroutine_key", key, gen_task(g),
			    gen_register(g, regs.goroutine), gen_register(g, regs.sp),
			    span_probe_id(g));
	gen_only_if(g, is_known, out);
	return key;
}

/* Does the function pass its entry in each round of a loop? Then the entry probe fires again during
 * one call. */
static LLVMValueRef is_loop(struct gen *g)
{
	if (!g->prog.plan->has_loops)
		return gen_u64(g, 0);
	return plan_has_cookie(g->prog.plan) ? gen_cookie_format(g) : gen_u64(g, 1);
}

/* The first attach point that uses this state, and where in a call's target its number is. */
static LLVMValueRef owner(struct gen *g)
{
	return gen_u32(g, g->probe.plan->state.owner);
}

static LLVMValueRef number_bit(struct gen *g)
{
	return gen_u32(g, span_is_shared(g) ? PLAN_FORMAT_BIT : 63);
}

static void begin(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef key, slot, cost;

	span_test_start(g, out);
	if (g->prog.plan->is_sleepable)
		span_prefault_entries(g);
	key = call_key(g, out);
	cost = cost_open(g, out);
	slot = is_of_stack(g)
		       ? GEN_CALL(g, "sonde_goroutine_push_frame", span_map(g), key,
				  span_call_target(g), is_loop(g), span_probe_id(g), owner(g),
				  number_bit(g))
		       : GEN_CALL(g, "sonde_goroutine_push", span_map(g), key, span_call_target(g),
				  is_loop(g), span_probe_id(g), owner(g), number_bit(g));
	gen_only_if(g, slot, out);
	span_store_entries(g, slot);
	cost_begin(g, cost, slot);
	LLVMBuildBr(g->b, out);
}

void gen_span_goroutine(struct gen *g, LLVMBasicBlockRef out)
{
	LLVMValueRef key, slot, cost, now, start;

	if (g->probe.is_start) {
		g->probe.is_start = false;
		begin(g, out);
		return;
	}
	now = g->prog.began ? g->prog.began : span_clock(g);
	g->body.current = gen_task(g);
	key = call_key(g, out);
	cost = cost_open(g, out);
	slot = GEN_CALL(g, "sonde_goroutine_pop", span_map(g), key, span_call_target(g), owner(g),
			number_bit(g));
	gen_only_if(g, slot, out);
	g->body.depth = gen_word(g, gen_at(g, slot, 24));
	start = gen_word(g, slot);
	span_body(g, slot, start, cost_less(g, cost, slot, LLVMBuildSub(g->b, now, start, "")));
	GEN_CALL(g, "sonde_goroutine_forget", span_map(g), key);
	cost_end(g, cost);
	LLVMBuildBr(g->b, out);
}
