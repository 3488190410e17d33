/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reason`: why a thread leaves the CPU. Programs handle the number of its name.
 */
#include "parser/lang/reason.h"
#include "codegen/gen.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"

enum { NAMES = 32 }; /* a power of two */

_Static_assert((int)SONDE_REASON_COUNT <= (int)NAMES, "the table has a name for each");

/* The name ids of all values of enum sonde_reason: a constant in .rodata. */
static LLVMValueRef name_table(struct gen *g)
{
	static const char symbol[] = "reason_names";
	LLVMValueRef rows[NAMES], global = LLVMGetNamedGlobal(g->module, symbol);

	if (global)
		return global;
	for (uint32_t i = 0; i < NAMES; i++)
		rows[i] = gen_u32(g, 0);
	for (uint32_t i = 0; i < REASON_COUNT; i++)
		rows[i + 1] = gen_u32(g, plan_name_find(g->plan, reasons[i].word,
							(uint32_t)strlen(reasons[i].word)));
	return gen_constant_data(g, LLVMConstArray2(g->i32, rows, NAMES), symbol, ".rodata.names");
}

static LLVMValueRef name_of(struct gen *g, LLVMValueRef reason)
{
	return gen_name_at(g, name_table(g), gen_masked(g, gen_extended(g, reason), NAMES - 1));
}

LLVMValueRef span_leaves(struct gen *g, LLVMValueRef task, uint32_t limit)
{
	return GEN_CALL(g, "sonde_stack_leaves", g->body.ctx, task, gen_u32(g, g->prog.id),
			gen_u32(g, gen_tracer_frames(g)), span_probe_id(g), gen_u32(g, limit));
}

void span_store_reason(struct gen *g, LLVMValueRef slot)
{
	const struct plan_span *state = &g->probe.plan->state;
	LLVMValueRef reason;

	if (!state->reason)
		return;
	if (g->probe.is_open)
		reason = GEN_CALL(g, "sonde_reason_task", g->body.subject, span_probe_id(g));
	else
		reason = GEN_CALL(g, "sonde_reason_event", g->body.ctx,
				  gen_word(g, gen_at(g, slot, state->kstacks->field.offset)));
	LLVMBuildStore(g->b, name_of(g, reason), gen_at(g, slot, state->reason));
}

/* Of the thread that leaves the CPU in this event, unless the span has kept it. */
struct value gen_reason(struct gen *g, struct expr *e)
{
	uint32_t kept = g->probe.plan->state.reason;
	LLVMValueRef stack;

	if (g->body.span && kept)
		return gen_int_value(gen_word(g, gen_at(g, g->body.span, kept)), e->type);
	stack = span_leaves(g, prog_context_pointer(g, 1), 0);
	return gen_int_value(name_of(g, GEN_CALL(g, "sonde_reason_event", g->body.ctx, stack)),
			     e->type);
}
