/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of USDT probes. Each location of a probe has its own operands. Where they differ, the
 * attach cookie holds the index of the format of the location that fired.
 */
#include "parser/base/limits.h"
#include "parser/lang/usdt_operand.h"
#include "codegen/gen.h"

/* The name id: bits 32 to PLAN_FORMAT_BIT of the cookie. */
LLVMValueRef gen_usdt_name(struct gen *g)
{
	LLVMValueRef name = gen_shifted(g, gen_cookie(g), 32);

	return gen_masked(g, name, (1u << (PLAN_FORMAT_BIT - 32)) - 1);
}

/* The operand base + index * scale + disp. */
static LLVMValueRef sum(struct gen *g, const struct usdt_operand *o)
{
	LLVMValueRef v = gen_u64(g, (uint64_t)o->disp), index;

	if (o->base != USDT_NO_REG)
		v = LLVMBuildAdd(g->b, gen_register(g, o->base), v, "");
	if (o->index == USDT_NO_REG)
		return v;
	index = LLVMBuildMul(g->b, gen_register(g, o->index), gen_u64(g, o->scale), "");
	return LLVMBuildAdd(g->b, v, index, "");
}

static LLVMValueRef read_memory(struct gen *g, const struct usdt_operand *o)
{
	LLVMValueRef slot = gen_buffer(g, 8), v;

	gen_warn_read(g,
		      GEN_CALL(g, "sonde_usdt_read", slot, sum(g, o), gen_u32(g, o->size),
			       gen_u32(g, g->probe.id)),
		      true, false);
	v = gen_word(g, slot);
	gen_buffer_end(g, slot, 8);
	return v;
}

static LLVMValueRef operand(struct gen *g, const struct usdt_operand *o)
{
	LLVMValueRef v = gen_u64(g, (uint64_t)o->disp);

	switch (o->kind) {
	case USDT_UNREADABLE: /* reported by the checks */
	case USDT_CONSTANT: break;
	case USDT_SUM: v = gen_shifted(g, sum(g, o), 8u * o->skip); break;
	case USDT_MEMORY: v = read_memory(g, o); break;
	}
	return gen_narrow(g, v, type_int(o->size, o->is_signed));
}

static const struct usdt_operand *operand_of(const struct gen *g, uint32_t format, unsigned i)
{
	const struct usdt_format *f = &g->probe.point->usdt->formats[format];

	return &f->args[i < f->n ? i : 0];
}

/* The first format whose argument i is the same as that of `format`. */
static uint32_t first_same(const struct gen *g, uint32_t format, unsigned i)
{
	uint32_t first = 0;

	while (first < format &&
	       !usdt_operand_same(operand_of(g, first, i), operand_of(g, format, i)))
		first++;
	return first;
}

/* One block for each operand, selected by the format's index. */
static LLVMValueRef choose(struct gen *g, unsigned i)
{
	uint32_t n = g->probe.point->usdt->n_formats;
	LLVMBasicBlockRef blocks[LIMIT_FORMATS] = {0}, after = gen_block(g, "arg.end"), here;
	LLVMValueRef format = gen_cookie_format(g);
	LLVMValueRef slot = gen_buffer(g, 8), cases;

	here = LLVMGetInsertBlock(g->b);
	for (uint32_t f = 0; f < n; f++) {
		uint32_t first = first_same(g, f, i);

		blocks[f] = first < f ? blocks[first] : gen_block(g, "arg");
		if (first < f)
			continue;
		LLVMPositionBuilderAtEnd(g->b, blocks[f]);
		LLVMBuildStore(g->b, operand(g, operand_of(g, f, i)), slot);
		LLVMBuildBr(g->b, after);
	}
	LLVMPositionBuilderAtEnd(g->b, here);
	cases = LLVMBuildSwitch(g->b, format, blocks[0], n);
	for (uint32_t f = 1; f < n; f++)
		if (blocks[f] != blocks[0])
			LLVMAddCase(cases, gen_u64(g, f), blocks[f]);
	LLVMPositionBuilderAtEnd(g->b, after);
	return gen_word(g, slot);
}

static bool all_same(const struct gen *g, unsigned i)
{
	for (uint32_t f = 1; f < g->probe.point->usdt->n_formats; f++)
		if (first_same(g, f, i))
			return false;
	return true;
}

struct value gen_usdt_arg(struct gen *g, struct expr *e, unsigned i)
{
	LLVMValueRef v = all_same(g, i) ? operand(g, operand_of(g, 0, i)) : choose(g, i);

	return gen_int_value(v, e->type);
}
