/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments and results of functions: the words of registers and of the stack, and values of
 * several words.
 */
#include "codegen/gen_prefault.h"
#include "codegen/gen_prog.h"
#include "parser/base/regs.h"
#include "parser/lang/field_type.h"

LLVMValueRef gen_register(struct gen *g, uint32_t offset)
{
	LLVMValueRef words = g->body.prefaults ? gen_prefault_words(g) : g->body.words;
	LLVMValueRef v = gen_word(g, gen_at(g, words, offset));

	/* volatile, else LLVM moves ctx arithmetic to where the verifier rejects it */
	LLVMSetVolatile(v, true);
	return v;
}

/* Argument i of a function: in a register, or on the stack above the return address. */
static LLVMValueRef argument_word(struct gen *g, unsigned i)
{
	struct regs_place place = regs_argument(probe_abi(g->probe.point), i);
	LLVMValueRef at;

	if (!place.is_on_stack)
		return gen_register(g, place.offset);
	at = gen_plus(g, gen_register(g, regs.sp), place.offset);
	return GEN_CALL(g, "sonde_text_word", at, gen_u32(g, g->probe.id),
			gen_u32(g, probe_space(g->probe.point) == SPACE_USER));
}

/* arg0 … arg11, by the row. */
struct value gen_arg(struct gen *g, struct expr *e)
{
	unsigned i = e->name.builtin->arg;

	if (point_has(g->probe.point, ARM_USDT))
		return gen_usdt_arg(g, e, i);
	if (probe_is_typed(g->probe.point))
		return gen_int_value(gen_typed_arg(g, &probe_typed(g->probe.point)->params[i]),
				     e->type);
	return gen_int_value(argument_word(g, i), e->type);
}

/* A value of `type` that is in consecutive words of registers or of the stack. */
static struct value in_words(struct gen *g, const struct type *type, const LLVMValueRef *words)
{
	uint32_t size = (type->size + 7) / 8 * 8;
	LLVMValueRef buf = gen_big_buffer(g, size);

	for (uint32_t i = 0; i < size / 8; i++)
		LLVMBuildStore(g->b, words[i], gen_at(g, buf, 8 * i));
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

/* Store the parts of a result, which are in consecutive registers, in a value at `to`. */
static void store_parts(struct gen *g, LLVMValueRef to, const struct tp_field *f)
{
	for (uint32_t i = 0; i < f->n_parts; i++) {
		const struct value_part *part = &f->parts[i];
		uint32_t place = regs_result(probe_abi(g->probe.point), f->offset / 8 + i);
		LLVMValueRef v = gen_register(g, place);

		if (part->size < 8)
			v = LLVMBuildTrunc(g->b, v, LLVMIntTypeInContext(g->llvm, 8 * part->size),
					   "");
		LLVMBuildStore(g->b, v, gen_at(g, to, part->at));
	}
}

/* A structure or a tuple in registers. */
static struct value result_in_registers(struct gen *g, const struct type *type)
{
	const struct user_point *u = &g->probe.point->user;
	LLVMValueRef zero = gen_u64(g, 0), words[] = {zero, zero};
	bool is_tuple = type_is_compound(type);
	struct value v;

	if (!g->probe.is_open && !u->n_results) {
		words[0] = gen_register(g, regs.result);
		words[1] = type->size > 8 ? gen_register(g, regs.second) : zero;
	}
	if (!u->n_results)
		return in_words(g, type, words);
	v = (struct value){.kind = V_MEM, .type = type};
	v.v = gen_big_buffer(g, (type->size + 7) / 8 * 8);
	gen_zero(g, v.v, (type->size + 7) / 8 * 8);
	for (uint32_t i = 0; i < u->n_results && !g->probe.is_open; i++)
		store_parts(g, gen_at(g, v.v, is_tuple ? type->members[i].offset : 0),
			    &u->results[i]);
	return v;
}

/* retval: 0 for a call that is still open. */
struct value gen_retval(struct gen *g, struct expr *e)
{
	const struct type *t = field_result_type(g->probe.point);
	LLVMValueRef v;

	if (t && type_is_memory(t))
		return result_in_registers(g, t);
	if (g->probe.is_open)
		return gen_int_value(gen_u64(g, 0), e->type);
	if (prog_kind_is(g->prog.plan->kind, PK_TRAMPOLINE))
		v = gen_typed_result(g);
	else
		v = gen_register(g, regs.result);
	return gen_int_value(t ? gen_narrow(g, v, t) : v, e->type);
}

struct value gen_user_arg(struct gen *g, const struct expr *e, const struct tp_field *f)
{
	unsigned i = f->offset / 8;
	struct regs_place place = regs_argument(probe_abi(g->probe.point), i);
	LLVMValueRef words[SONDE_CALL_WORDS];

	if (type_is_memory(e->type) && place.is_on_stack)
		return gen_read_at(g, gen_plus(g, gen_register(g, regs.sp), place.offset),
				   SPACE_USER, e->type);
	if (type_is_memory(e->type)) {
		for (uint32_t w = 0; 8 * w < e->type->size && w < SONDE_CALL_WORDS; w++)
			words[w] = argument_word(g, i + w);
		return in_words(g, e->type, words);
	}
	return gen_int_value(gen_narrow(g, argument_word(g, i),
					f->size ? type_int(f->size, f->is_signed) : e->type),
			     e->type);
}
