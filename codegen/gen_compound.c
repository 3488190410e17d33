/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compound values: tuples, records, indexing, casts, and reads through pointers.
 */
#include "codegen/gen_prefault.h"

static void make_list(struct gen *g, struct expr *e, LLVMValueRef at)
{
	gen_zero(g, at, e->type->size);
	for (uint32_t i = 0; i < e->list.n; i++) {
		const struct type_member *m = &e->type->members[i];

		gen_expr_into(g, e->list.items[i], m->type,
			      gen_at(g, gen_scratch_again(g, at), m->offset));
	}
}

struct value gen_list(struct gen *g, struct expr *e)
{
	LLVMValueRef buf = gen_big_buffer(g, e->type->size);

	make_list(g, e, buf);
	return (struct value){.kind = V_MEM, .type = e->type, .v = gen_scratch_again(g, buf)};
}

/* Store `v` at `at`. The address was computed before the value, so a probe that spills computes it
 * again. */
static void store_at(struct gen *g, struct value v, const struct type *type, LLVMValueRef at)
{
	gen_store(g, v, type, gen_scratch_again(g, at));
}

void gen_expr_into(struct gen *g, struct expr *e, const struct type *type, LLVMValueRef at)
{
	LLVMMetadataRef place = LLVMGetCurrentDebugLocation2(g->b);
	uint32_t mark = g->probe.scratch.used;
	struct span around = g->probe.at;

	if (!ast_is_built_in_place(e, type)) {
		store_at(g, gen_expr(g, e), type, at);
	} else {
		gen_location(g, e->span);
		g->probe.at = around;
		if (e->kind == EX_CALL)
			gen_str_at(g, e, at);
		else
			make_list(g, e, at);
		LLVMSetCurrentDebugLocation2(g->b, place);
	}
	gen_scratch_release(g, mark);
}

struct value gen_part(struct gen *g, struct value v, uint32_t i)
{
	const struct type_member *m = &v.type->members[i];

	return gen_load(g, m->type, gen_at(g, v.v, m->offset));
}

/* The index of the same part in another compound type: records match by name. */
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

		equal = LLVMBuildAnd(g->b, equal,
				     gen_equal(g, gen_part(g, x, i), gen_part(g, y, j)), "");
	}
	return equal;
}

LLVMValueRef gen_equal_bytes(struct gen *g, LLVMValueRef x, LLVMValueRef y, uint32_t size)
{
	LLVMValueRef differ = gen_u64(g, 0), a, b, n = gen_u32(g, size);

	if (size > SONDE_STRING_WORDS) {
		differ = GEN_CALL(g, "sonde_string_memory", x, n, y, n, gen_u64(g, size));
		return gen_compare(g, LLVMIntEQ, differ, 0);
	}
	for (uint32_t at = 0, step; at < size; at += step) {
		const struct type *word;

		for (step = 8; step > size - at;)
			step /= 2;
		word = type_int(step, false);
		a = gen_load(g, word, gen_at(g, x, at)).v;
		b = gen_load(g, word, gen_at(g, y, at)).v;
		differ = LLVMBuildOr(g->b, differ, LLVMBuildXor(g->b, a, b, ""), "");
	}
	return gen_compare(g, LLVMIntEQ, differ, 0);
}

struct value gen_field(struct gen *g, struct expr *e)
{
	struct value v = gen_expr(g, e->field.object);

	return gen_part(g, v, (uint32_t)type_member_index(v.type, e->field.name));
}

/* Convert to type t: truncate to its width, then extend by its sign. */
LLVMValueRef gen_narrow(struct gen *g, LLVMValueRef v, const struct type *t)
{
	if (t->kind == TY_BOOL)
		return gen_extended(g, gen_truth(g, v));
	if (t->size == 8 || t->kind != TY_INT)
		return v;
	v = LLVMBuildTrunc(g->b, v, gen_int_type(g, t->size), "");
	return (t->is_signed ? LLVMBuildSExt : LLVMBuildZExt)(g->b, v, g->i64, "");
}

/* Cast to an array: it gets the bytes of a number or of a string. */
static struct value cast_to_array(struct gen *g, struct value v, const struct type *type)
{
	LLVMValueRef buf = gen_big_buffer(g, type->size < 8 ? 8 : type->size);

	if (v.kind == V_INT)
		gen_store(g, v, type_int(8, false), buf);
	else
		gen_store(g, v, v.type, buf);
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

/* The string as `type`: padded with NULs, or cut so that it ends with a NUL. */
struct value gen_cut_string(struct gen *g, struct value v, const struct type *type)
{
	LLVMValueRef buf;

	if (v.kind == V_LITERAL) {
		v.len = v.len < type->size ? v.len : type->size - 1;
		v.type = type;
		return v;
	}
	if (v.type->size == type->size)
		return v;
	buf = gen_big_buffer(g, type->size);
	gen_store(g, v, type, buf);
	if (v.type->size > type->size)
		gen_zero_from(g, buf, type->size - 1, type->size);
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

/* (int64)x, (int64)(x * factor) of a floating-point number. */
static struct value cast_float(struct gen *g, struct expr *e)
{
	struct expr *of = e->cast.operand, *factor = NULL;
	struct gen_kept kept = gen_keep(g, gen_int_value(gen_u64(g, 1), type_int(8, true)));
	struct value v;

	if (of->kind == EX_BINARY) {
		bool is_left = of->binary.left->type->kind == TY_FLOAT;

		factor = is_left ? of->binary.right : of->binary.left;
		of = is_left ? of->binary.left : of->binary.right;
		kept = gen_keep(g, gen_expr(g, factor));
	}
	v = gen_expr(g, of);
	v.v = GEN_CALL(g, "sonde_float_scaled", v.v, gen_u32(g, v.type->size),
		       gen_kept_value(g, &kept).v);
	return gen_int_value(gen_narrow(g, v.v, e->type), e->type);
}

struct value gen_cast(struct gen *g, struct expr *e)
{
	if (e->cast.operand->type->kind == TY_FLOAT)
		return e->type->kind == TY_FLOAT ? gen_expr(g, e->cast.operand) : cast_float(g, e);
	if (e->type->kind == TY_STRING)
		return gen_cut_string(g, gen_expr(g, e->cast.operand), e->type);
	if (e->type->kind == TY_ARRAY)
		return cast_to_array(g, gen_expr(g, e->cast.operand), e->type);
	if (e->cast.operand->type->kind == TY_ARRAY)
		return gen_load(g, e->type, gen_expr(g, e->cast.operand).v);
	return gen_int_value(gen_narrow(g, gen_int(g, e->cast.operand), e->type), e->type);
}

void gen_read_to(struct gen *g, LLVMValueRef to, uint32_t size, LLVMValueRef address,
		 enum type_space space)
{
	bool is_user = (space == SPACE_NONE ? probe_space(g->probe.point) : space) == SPACE_USER;

	if (g->body.prefaults) {
		gen_prefault_to(g, to, size, address);
		return;
	}
	gen_warn_read(g,
		      GEN_CALL(g, "sonde_memory_copy", to, gen_u32(g, size), address,
			       gen_u32(g, g->probe.id), gen_u32(g, is_user)),
		      is_user, false);
}

struct value gen_read_at(struct gen *g, LLVMValueRef address, enum type_space space,
			 const struct type *type)
{
	uint32_t size = type->size < 8 ? 8 : type->size;
	LLVMValueRef buf = gen_big_buffer(g, size);
	struct value v;

	gen_zero(g, buf, size);
	gen_read_to(g, buf, type->size, address, space);
	v = gen_load(g, type, buf);
	if (v.kind == V_INT)
		gen_buffer_end(g, buf, 8);
	return v;
}

struct value gen_deref(struct gen *g, struct expr *e)
{
	const struct type *t = e->unary.operand->type;

	return gen_read_at(g, gen_int(g, e->unary.operand), probe_address_space(g->probe.point, t),
			   e->type);
}

LLVMValueRef gen_opaque(struct gen *g, LLVMValueRef at)
{
	LLVMTypeRef type = LLVMFunctionType(g->i64, &g->i64, 1, false);
	LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "=r,0", 4, false, false,
						LLVMInlineAsmDialectATT, false);

	return LLVMBuildCall2(g->b, type, nothing, &at, 1, "");
}

/* A buffer for an element: 8 bytes for a number; for other types a copy, since elements need not be
 * aligned. */
static LLVMValueRef element_slot(struct gen *g, const struct type *type)
{
	LLVMValueRef slot = type_is_memory(type) ? gen_big_buffer(g, type->size) : gen_buffer(g, 8);

	if (type_is_memory(type))
		gen_zero(g, slot, type->size);
	else
		LLVMBuildStore(g->b, gen_u64(g, 0), slot);
	return slot;
}

/* An element of an array, or a byte of a string. Beyond the end the value is 0, and the access is
 * counted as a loss. */
static struct value element_of(struct gen *g, struct value s, LLVMValueRef at,
			       const struct type *type)
{
	LLVMValueRef slot = element_slot(g, type), address, inside;
	LLVMBasicBlockRef then = gen_block(g, "inside"), beyond = gen_block(g, "beyond"),
			  end = gen_block(g, "index.end");

	if (s.kind == V_LITERAL) {
		LLVMValueRef buf = gen_big_buffer(g, s.type->size);

		gen_store(g, s, s.type, buf);
		s.v = buf;
	}
	at = gen_opaque(g, at);
	inside = gen_compare(g, LLVMIntULT, at, s.type->size / type->size);
	gen_unless(g, inside, then, beyond);
	gen_lost(g, SONDE_LOSS_INDEX);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, then);
	address = LLVMBuildMul(g->b, at, gen_u64(g, type->size), "");
	address = LLVMBuildGEP2(g->b, g->i8, s.v, &address, 1, "");
	if (type_is_memory(type))
		gen_copy_bytes(g, slot, address, type->size, type->size);
	else
		LLVMBuildStore(g->b, gen_load(g, type, address).v, slot);
	gen_enter(g, end);
	if (type_is_memory(type))
		return (struct value){.kind = V_MEM, .type = type, .v = slot};
	return gen_int_value(gen_word(g, slot), type);
}

/* An element with a constant index, which the checks have tested: no bounds test is needed. */
static struct value element_at(struct gen *g, struct value s, struct expr *at,
			       const struct type *type)
{
	if (at->kind == EX_INT && s.kind == V_MEM && type_is_memory(type))
		return gen_load_part(g, type, s.v, (uint32_t)at->integer.value * type->size);
	if (at->kind == EX_INT && s.kind == V_MEM)
		return gen_load(g, type, gen_at(g, s.v, (uint32_t)at->integer.value * type->size));
	return element_of(g, s, gen_int(g, at), type);
}

struct value gen_index(struct gen *g, struct expr *e)
{
	const struct type *t = e->index.object->type;
	struct value object;

	if (ast_is_place(e))
		return gen_element(g, e);
	object = gen_expr(g, e->index.object);
	if (t->kind == TY_TUPLE)
		return gen_part(g, object, (uint32_t)e->index.at->integer.value);
	return element_at(g, object, e->index.at, e->type);
}
