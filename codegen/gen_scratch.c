/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratch memory holds what is too long for the BPF stack (bpf_helpers/scratch.bpf.c). A probe's
 * variables keep their offsets in it; what a statement computes is released at its end. The largest
 * amount that any probe has in use at a time becomes the size of the map's values. A probe that
 * would exceed the stack spills: all its variables and most values are in scratch memory.
 */
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "codegen/gen.h"

/* A slot begins with a busy flag; the script's part follows it. */
_Static_assert(SONDE_SCRATCH_HEAD % 8 == 0, "values are aligned to 8 bytes");

static void hint(struct gen *g)
{
	if (g->probe.scratch.of_vars > SONDE_SCRATCH_BYTES / 2)
		diag_hint(g->diags,
			  "its variables take %u bytes: use fewer variables, or read shorter "
			  "strings: str(x, 64)",
			  g->probe.scratch.of_vars);
	else if (g->program->config.max_strlen > LIMIT_STR)
		diag_hint(g->diags,
			  "max_strlen is %llu for every str(): read shorter strings where that is "
			  "enough, str(x, 64), or do less in one statement",
			  (unsigned long long)g->program->config.max_strlen);
	else
		diag_hint(g->diags,
			  "read shorter strings, str(x, 64), or do less in one statement");
}

/* Does `size` more exceed the limit? The error is reported once for each probe: what follows would
 * exceed the limit too. */
static bool exceeds(struct gen *g, uint32_t size)
{
	if (g->probe.scratch.used + size <= SONDE_SCRATCH_BYTES || g->probe.scratch.is_exceeded)
		return false;
	g->probe.scratch.is_exceeded = true;
	g->failed = true;
	return true;
}

/* Take `size` bytes and return their offset. Reports an error when there are not that many. */
uint32_t gen_scratch_take(struct gen *g, uint32_t size)
{
	uint32_t at = g->probe.scratch.used;

	size = (size + 7) / 8 * 8;
	if (exceeds(g, size)) {
		diag_error(g->diags, g->probe.at, "limit-room",
			   "this takes %u bytes of scratch memory, and %u are in use: a probe has "
			   "%d for long strings, keys and tuples",
			   size, at, SONDE_SCRATCH_BYTES);
		hint(g);
	}
	g->probe.scratch.used += size;
	if (g->probe.scratch.used > g->probe.scratch.most)
		g->probe.scratch.most = g->probe.scratch.used;
	return at;
}

uint32_t gen_scratch_take_var(struct gen *g, const struct var *v, uint32_t size)
{
	if (exceeds(g, size)) {
		diag_error(g->diags, v->first, "limit-room",
			   "%s takes %u bytes of scratch memory, and other variables take %u: a "
			   "probe has %d",
			   v->name, size, g->probe.scratch.used, SONDE_SCRATCH_BYTES);
		diag_hint(g->diags, "use fewer variables, or read shorter strings: str(x, 64)");
	}
	g->probe.scratch.of_vars += size;
	return gen_scratch_take(g, size);
}

void gen_scratch_release(struct gen *g, uint32_t mark)
{
	g->probe.scratch.used = mark;
}

/* The load is volatile in a probe that spills: otherwise LLVM keeps each address that is used again
 * on the stack. */
LLVMValueRef gen_scratch_at(struct gen *g, uint32_t at)
{
	LLVMValueRef bytes = LLVMBuildLoad2(g->b, g->ptr, g->body.scratch, "");

	LLVMSetVolatile(bytes, g->probe.spills);
	return gen_at(g, bytes, at);
}

LLVMValueRef gen_big_buffer(struct gen *g, uint32_t size)
{
	if (!g->body.scratch || size <= (g->probe.spills ? 8 : LIMIT_ON_STACK))
		return gen_buffer(g, size);
	return gen_scratch_at(g, gen_scratch_take(g, size));
}

/* Sets *offset to the offset of `at` in scratch memory. False: `at` is not an address in it. */
static bool offset_of(const struct gen *g, LLVMValueRef at, uint64_t *offset)
{
	*offset = 0;
	while (LLVMIsAGetElementPtrInst(at) && LLVMIsAConstantInt(LLVMGetOperand(at, 1))) {
		*offset += LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1));
		at = LLVMGetOperand(at, 0);
	}
	return LLVMIsALoadInst(at) && LLVMGetOperand(at, 0) == g->body.scratch;
}

LLVMValueRef gen_scratch_again(struct gen *g, LLVMValueRef at)
{
	uint64_t offset;

	if (!g->body.scratch || !g->probe.spills || !offset_of(g, at, &offset))
		return at;
	return gen_scratch_at(g, (uint32_t)offset);
}

struct gen_kept gen_keep(struct gen *g, struct value v)
{
	struct gen_kept kept = {.value = v};
	LLVMValueRef st;

	if (!g->body.scratch || !g->probe.spills || v.kind != V_INT)
		return kept;
	kept.is_in_scratch = true;
	kept.offset = gen_scratch_take(g, 8);
	st = LLVMBuildStore(g->b, v.v, gen_scratch_at(g, kept.offset));
	LLVMSetVolatile(st, true); /* else LLVM keeps the value in a register or on the stack */
	return kept;
}

struct value gen_kept_value(struct gen *g, const struct gen_kept *kept)
{
	struct value v = kept->value;

	if (v.kind == V_MEM)
		v.v = gen_scratch_again(g, v.v);
	if (!kept->is_in_scratch)
		return v;
	v.v = gen_word(g, gen_scratch_at(g, kept->offset));
	LLVMSetVolatile(v.v, true);
	return v;
}

void gen_scratch_begin(struct gen *g)
{
	g->body.scratch = gen_buffer(g, 8);
	g->probe.scratch.used = g->probe.scratch.most = g->probe.scratch.of_vars = 0;
	g->probe.scratch.is_exceeded = false;
	g->probe.spills = g->spills;
	g->probe.scratch.before = LLVMGetInsertBlock(g->b);
	g->probe.scratch.start = gen_block(g, "body.start");
	LLVMPositionBuilderAtEnd(g->b, g->probe.scratch.start);
}

void gen_scratch_end(struct gen *g)
{
	LLVMBasicBlockRef done = LLVMGetInsertBlock(g->b), after;
	LLVMValueRef bytes;

	if (g->probe.scratch.most > g->scratch_bytes)
		g->scratch_bytes = g->probe.scratch.most;
	if (g->probe.scratch.most == 0) {
		LLVMPositionBuilderAtEnd(g->b, g->probe.scratch.before);
		LLVMBuildBr(g->b, g->probe.scratch.start);
		LLVMPositionBuilderAtEnd(g->b, done);
		g->body.scratch = NULL;
		return;
	}
	after = gen_block(g, "body.end");
	GEN_CALL(g, "sonde_scratch_leave", LLVMBuildLoad2(g->b, g->ptr, g->body.scratch, ""));
	LLVMBuildBr(g->b, after);
	LLVMPositionBuilderAtEnd(g->b, g->probe.scratch.before);
	bytes = GEN_CALL(g, "sonde_scratch_enter", gen_u32(g, g->probe.id), gen_u32(g, false));
	LLVMBuildStore(g->b, bytes, g->body.scratch);
	gen_unless(g, bytes, g->probe.scratch.start, after);
	g->body.scratch = NULL;
}

/* Set the argument is_long of calls of sonde_scratch_enter(), which were generated before the size
 * was known. */
static void set_long(struct gen *g)
{
	LLVMValueRef enter = LLVMGetNamedFunction(g->module, "sonde_scratch_enter");

	for (LLVMUseRef use = LLVMGetFirstUse(enter); use; use = LLVMGetNextUse(use))
		LLVMSetOperand(LLVMGetUser(use), 1, gen_u32(g, true));
}

void gen_scratch_map(struct gen *g)
{
	uint32_t bytes = SONDE_SCRATCH_HEAD + g->scratch_bytes;
	bool is_long = bytes > SONDE_PERCPU_BYTES;

	if (!g->scratch_bytes)
		return;
	if (is_long)
		set_long(g);
	gen_di_map(g, "sonde_scratch", is_long ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_PERCPU_ARRAY, 0,
		   SONDE_SCRATCH_SLOTS, 4, bytes);
}
