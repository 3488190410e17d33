/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what a script reads, so that it can be replayed: see parser/plan/plan_reads.c.
 */
#include "codegen/gen.h"
#include "parser/lang/recorder.h"

enum { IS_STRING_BIT = 31, IS_START_BIT = 30 };

static bool is_recorded(const struct gen *g)
{
	return g->plan->needs.reads && !prog_kind_is(g->prog.plan->kind, PK_TRACER) &&
	       recorder_has_reads(g->program, g->probe.ast);
}

static bool is_start(const struct gen *g)
{
	return g->probe.is_start || g->probe.tests_start;
}

/* The event of which the read is, as a number in plan->names. */
static LLVMValueRef place_of(struct gen *g)
{
	const struct plan_probe *q = g->probe.plan;
	uint32_t id = is_start(g)	 ? q->start_place_id
		      : g->probe.is_open ? q->open_place_id
					 : q->place_id;

	return id ? gen_u64(g, id) : gen_probe_name(g);
}

static void send(struct gen *g, LLVMValueRef address, LLVMValueRef from, LLVMValueRef size)
{
	uint64_t event = (uint64_t)g->probe.id << 32 | g->plan->reads_event;
	LLVMValueRef place = LLVMBuildShl(g->b, place_of(g), gen_u64(g, 32), ""),
		     tid = GEN_CALL(g, "sonde_number_tid", gen_task(g));

	size = LLVMBuildOr(g->b, size, gen_u64(g, (uint64_t)is_start(g) << IS_START_BIT), "");
	GEN_CALL(g, "sonde_reads_send", from, size, address, gen_u64(g, event),
		 LLVMBuildOr(g->b, place, tid, ""));
}

void gen_note_read(struct gen *g, LLVMValueRef address, LLVMValueRef from, LLVMValueRef n,
		   LLVMValueRef err, bool is_string)
{
	LLVMValueRef failed;

	if (!is_recorded(g) || LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMPointerTypeKind)
		return;
	if (is_string)
		n = LLVMBuildOr(g->b, n, gen_u64(g, 1ull << IS_STRING_BIT), "");
	failed = LLVMBuildICmp(g->b, LLVMIntNE, err, gen_u64(g, 0), "");
	send(g, address, from, LLVMBuildSelect(g->b, failed, gen_u64(g, 0), n, ""));
}

/* No memory has such an address: bits 48 to 62 are those of bit 63 elsewhere. */
LLVMValueRef gen_result_address(struct gen *g, enum gen_result call, LLVMValueRef argument)
{
	LLVMValueRef low = LLVMBuildAnd(g->b, argument, gen_u64(g, (1ull << 48) - 1), "");

	return LLVMBuildOr(g->b, low, gen_u64(g, 1ull << 63 | (uint64_t)call << 48), "");
}
