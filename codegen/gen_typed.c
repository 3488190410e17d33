/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments and results of fentry, fexit and rawtracepoint programs. They are words whose sizes and
 * signs BTF describes (struct typed_function). The verifier tracks some as pointers and restricts
 * arithmetic on these; in a script all are numbers. fentry and fexit programs read them with
 * helpers that return numbers and are inlined; pointers of a raw tracepoint are read as memory.
 */
#include "codegen/gen.h"

static LLVMValueRef function_word(struct gen *g, uint32_t offset)
{
	LLVMValueRef at = gen_buffer(g, 8), v;

	gen_helper(g, BPF_FUNC_get_func_arg,
		   (LLVMValueRef[]){g->body.ctx, gen_u64(g, offset / 8), at}, 3);
	v = gen_word(g, at);
	gen_buffer_end(g, at, 8);
	return v;
}

static LLVMValueRef event_word(struct gen *g, const struct tp_field *param)
{
	LLVMValueRef at, v;

	if (param->size < 8)
		return gen_register(g, param->offset);
	at = gen_buffer(g, 8);
	GEN_CALL(g, "sonde_memory_read", at, gen_u32(g, 8), gen_at(g, g->body.ctx, param->offset));
	v = gen_word(g, at);
	gen_buffer_end(g, at, 8);
	return v;
}

LLVMValueRef gen_typed_arg(struct gen *g, const struct tp_field *param)
{
	LLVMValueRef v = prog_kind_is(g->prog.plan->kind, PK_TYPED)
				 ? event_word(g, param)
				 : function_word(g, param->offset);

	return param->size ? gen_narrow(g, v, type_int(param->size, param->is_signed)) : v;
}

LLVMValueRef gen_typed_result(struct gen *g)
{
	LLVMValueRef at = gen_buffer(g, 8), v;

	gen_helper(g, BPF_FUNC_get_func_ret, (LLVMValueRef[]){g->body.ctx, at}, 2);
	v = gen_word(g, at);
	gen_buffer_end(g, at, 8);
	return v;
}
