/* SPDX-License-Identifier: Apache-2.0 */
/*
 * len(): a constant for arrays and tuples, computed in the kernel for strings, stacks and maps.
 */
#include "codegen/gen.h"

static LLVMValueRef length_of_map(struct gen *g, const struct expr *e)
{
	uint32_t id = e->map.map->id;

	return GEN_CALL(g, "sonde_length_map", g->maps[id], gen_epoch(g, id));
}

static LLVMValueRef length_of_string(struct gen *g, struct value v)
{
	if (v.kind == V_LITERAL)
		return gen_u64(g, v.len);
	return GEN_CALL(g, "sonde_string_length", v.v, gen_u32(g, v.type->size));
}

struct value gen_len(struct gen *g, struct expr *e)
{
	struct expr *arg = e->call.args[0];
	LLVMValueRef n;

	if (ast_is_whole_map(e, 0))
		n = length_of_map(g, arg);
	else if (arg->type->kind == TY_STRING)
		n = length_of_string(g, gen_expr(g, arg));
	else if (arg->type->kind == TY_ARRAY)
		n = gen_u64(g, type_elements(arg->type));
	else if (arg->type->kind == TY_TUPLE)
		n = gen_u64(g, arg->type->n_members);
	else
		n = GEN_CALL(g, "sonde_stack_length", gen_int(g, arg));
	return gen_int_value(n, e->type);
}
