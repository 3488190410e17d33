/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings read from memory: str(), and fields of tracepoints whose strings have any length.
 */
#include "parser/base/limits.h"
#include "codegen/gen.h"

static struct value read_string(struct gen *g, const struct type *type, LLVMValueRef from,
				bool is_user, bool has_limit, LLVMValueRef buf)
{
	LLVMValueRef err;

	gen_zero(g, buf, type->size);
	err = GEN_CALL(g, is_user ? "sonde_text_user" : "sonde_text_kernel", buf,
		       gen_u32(g, type->size), from, gen_u32(g, has_limit),
		       gen_u32(g, g->probe.id));
	gen_warn_read(g, err, is_user, true);
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

/* str(p, n) with a variable n: the type is as long as the longest result. */
static struct value read_at_most(struct gen *g, struct expr *e, LLVMValueRef from, bool is_user,
				 LLVMValueRef at)
{
	struct expr *limit = e->call.args[1];
	LLVMValueRef n = gen_int(g, limit), none = gen_u64(g, 0), err;

	if (limit->type->is_signed)
		n = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, n, none, ""), none, n,
				    "");
	gen_zero(g, at, e->type->size);
	err = GEN_CALL(g, "sonde_text_part", at, gen_u32(g, e->type->size), from, n,
		       gen_u32(g, g->probe.id), gen_u32(g, is_user));
	gen_warn_read(g, err, is_user, true);
	return (struct value){.kind = V_MEM, .type = e->type, .v = at};
}

struct value gen_str_at(struct gen *g, struct expr *e, LLVMValueRef at)
{
	struct expr *p = e->call.args[0];
	bool is_user = type_is_in_user_space(p->type, probe_space(g->probe.point) == SPACE_USER);
	LLVMValueRef from = gen_int(g, p);

	if (e->call.n_args > 1 && e->call.args[1]->kind != EX_INT)
		return read_at_most(g, e, from, is_user, at);
	return read_string(g, e->type, from, is_user, e->call.n_args > 1, at);
}

/* str(STRING, n), and the same of an array of bytes and of a name. */
static struct value part_of_string(struct gen *g, struct expr *e)
{
	struct expr *text = e->call.args[0];
	struct value v = text->type->kind == TY_NAME ? gen_name_text(g, text) : gen_expr(g, text);

	if (text->type->kind == TY_ARRAY)
		v.type = type_chars(g->arena, text->type->size);
	if (e->call.n_args == 1 || v.type->size <= 1)
		return v;
	if (e->call.args[1]->kind == EX_INT)
		return gen_cut_string(g, v, e->type);
	if (v.kind == V_LITERAL)
		v.v = gen_constant(g, v.literal, v.len);
	return read_at_most(g, e, v.v, false, gen_big_buffer(g, e->type->size));
}

struct value gen_str(struct gen *g, struct expr *e)
{
	struct expr *p = e->call.args[0];

	/* the argument is a string already */
	if (p->type->kind != TY_POINTER && !type_is_integral(p->type))
		return part_of_string(g, e);
	return gen_str_at(g, e, gen_big_buffer(g, e->type->size));
}

struct value gen_path(struct gen *g, struct expr *e)
{
	LLVMValueRef from = gen_int(g, e->call.args[0]);
	LLVMValueRef buf = gen_big_buffer(g, e->type->size + SONDE_PATH_MORE), err;

	gen_zero(g, buf, e->type->size + SONDE_PATH_MORE);
	err = GEN_CALL(g, "sonde_path_text", buf, gen_u32(g, e->type->size), from,
		       gen_u32(g, g->probe.id));
	gen_warn_read(g, err, false, true);
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

LLVMValueRef gen_text_address(struct gen *g, struct value v)
{
	LLVMValueRef buf;

	if (v.kind == V_LITERAL)
		return gen_constant(g, v.literal, v.len);
	buf = gen_big_buffer(g, v.type->size);
	gen_store(g, v, v.type, buf);
	/* Add the NUL that a string that was cut does not have: the kernel reads up to it. */
	LLVMBuildStore(g->b, LLVMConstNull(g->i8), gen_at(g, buf, v.type->size - 1));
	return buf;
}

/* The field holds the string's offset in the record (low half) and its length (high half). */
struct value gen_data_loc(struct gen *g, LLVMValueRef handle, const struct type *type)
{
	LLVMValueRef at = gen_masked(g, handle, 0xffff);

	at = LLVMBuildAdd(g->b, LLVMBuildPtrToInt(g->b, g->body.ctx, g->i64, ""), at, "");
	if (type->kind == TY_POINTER)
		return gen_int_value(at, type);
	at = LLVMBuildIntToPtr(g->b, at, g->ptr, ""); /* in the record: it is not a read */
	return read_string(g, type, at, false, false, gen_big_buffer(g, type->size));
}
