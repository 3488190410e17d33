/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values with parts: tuples, records, indexes, casts, and what is read through a pointer.
 */
#include "../parser/sema.h"
#include "gen.h"
#include <string.h>

struct value gen_list(struct gen *g, struct expr *e)
{
	LLVMValueRef buf = gen_buffer(g, e->type->size);

	gen_zero(g, buf, e->type->size);
	for (uint32_t i = 0; i < e->list.n; i++) {
		const struct type_member *m = &e->type->members[i];

		gen_store(g, gen_expr(g, e->list.items[i]), m->type, gen_at(g, buf, m->offset));
	}
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_part(struct gen *g, struct value v, uint32_t i)
{
	const struct type_member *m = &v.type->members[i];

	return gen_load(g, m->type, gen_at(g, v.v, m->offset));
}

/* The same part of another compound type: by name in records. */
static uint32_t part_of(const struct type *t, const struct type_member *m, uint32_t i)
{
	int j = t->kind == TY_RECORD ? type_member_index(t, m->name) : (int)i;

	return j < 0 ? i : (uint32_t)j;
}

void gen_store_parts(struct gen *g, struct value v, const struct type *to, LLVMValueRef dest)
{
	for (uint32_t i = 0; i < to->n_members; i++) {
		const struct type_member *m = &to->members[i];

		gen_store(g, gen_part(g, v, part_of(v.type, m, i)), m->type,
			  gen_at(g, dest, m->offset));
	}
}

LLVMValueRef gen_equal_parts(struct gen *g, struct value x, struct value y)
{
	LLVMValueRef equal = LLVMConstInt(LLVMInt1TypeInContext(g->llvm), 1, false);

	for (uint32_t i = 0; i < x.type->n_members; i++) {
		uint32_t j = part_of(y.type, &x.type->members[i], i);

		equal = LLVMBuildAnd(g->b, equal, gen_equal(g, gen_part(g, x, i), gen_part(g, y, j)), "");
	}
	return equal;
}

struct value gen_field(struct gen *g, struct expr *e)
{
	struct value v = gen_expr(g, e->field.object);

	return gen_part(g, v, (uint32_t)type_member_index(v.type, e->field.name));
}

/* As a value of type t: cut to its width, then widened by its sign. */
LLVMValueRef gen_narrow(struct gen *g, LLVMValueRef v, const struct type *t)
{
	LLVMTypeRef type = t->size == 1 ? g->i8 : t->size == 2 ? g->i16 : g->i32;

	if (t->kind == TY_BOOL)
		return LLVMBuildZExt(g->b, gen_truth(g, v), g->i64, "");
	if (t->size == 8 || t->kind != TY_INT)
		return v;
	v = LLVMBuildTrunc(g->b, v, type, "");
	return (t->is_signed ? LLVMBuildSExt : LLVMBuildZExt)(g->b, v, g->i64, "");
}

struct value gen_cast(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_narrow(g, gen_int(g, e->cast.operand), e->type), e->type);
}

static struct value read_at(struct gen *g, LLVMValueRef address, enum type_space space,
			    const struct type *type)
{
	LLVMValueRef buf = gen_buffer(g, 8);
	struct value v;

	if (space == SPACE_NONE)
		space = sema_space(g->ast);
	gen_zero(g, buf, 8);
	GEN_OWN(g, space == SPACE_USER ? "sonde_memory_user" : "sonde_memory_kernel", buf,
		gen_u32(g, type->size), address, gen_u32(g, g->probe_id));
	v = gen_load(g, type, buf);
	gen_buffer_end(g, buf, 8);
	return v;
}

struct value gen_deref(struct gen *g, struct expr *e)
{
	const struct type *t = e->unary.operand->type;

	return read_at(g, gen_int(g, e->unary.operand), t->space, e->type);
}

/* A byte of a string; behind its end it is 0. */
static struct value byte_of(struct gen *g, struct value s, LLVMValueRef at, const struct type *type)
{
	LLVMValueRef slot = gen_buffer(g, 8), address, inside;
	LLVMBasicBlockRef then = gen_block(g, "inside"), end = gen_block(g, "index.end");

	if (s.kind == V_TEXT) {
		LLVMValueRef buf = gen_buffer(g, s.type->size);

		gen_store(g, s, s.type, buf);
		s.v = buf;
	}
	LLVMBuildStore(g->b, gen_u64(g, 0), slot);
	inside = LLVMBuildICmp(g->b, LLVMIntULT, at, gen_u64(g, s.type->size), "");
	LLVMBuildCondBr(g->b, inside, then, end);
	LLVMPositionBuilderAtEnd(g->b, then);
	address = LLVMBuildGEP2(g->b, g->i8, s.v, &at, 1, "");
	LLVMBuildStore(g->b, LLVMBuildSExt(g->b, LLVMBuildLoad2(g->b, g->i8, address, ""), g->i64, ""),
		       slot);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
	return gen_int_value(LLVMBuildLoad2(g->b, g->i64, slot, ""), type);
}

struct value gen_index(struct gen *g, struct expr *e)
{
	const struct type *t = e->index.object->type;
	struct value object = gen_expr(g, e->index.object);
	LLVMValueRef at;

	if (t->kind == TY_TUPLE)
		return gen_part(g, object, (uint32_t)e->index.at->integer.value);
	at = gen_int(g, e->index.at);
	if (t->kind == TY_STRING)
		return byte_of(g, object, at, e->type);
	at = LLVMBuildMul(g->b, at, gen_u64(g, t->to->size), "");
	return read_at(g, LLVMBuildAdd(g->b, object.v, at, ""), t->space, e->type);
}
