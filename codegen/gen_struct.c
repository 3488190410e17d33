/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C structs and arrays. A struct in the traced memory is not copied: its address is computed first,
 * then only the member or element that the script names is read. Copies are in the memory of BPF
 * programs, aligned to 8 bytes.
 */
#include "parser/lang/c_type.h"
#include "codegen/gen.h"

enum { BYTE_BITS = 8, WORD_BITS = 64 };

/* A place in memory. The program's own context is read by direct loads, since the verifier converts
 * offsets in the context of perf events. */
struct spot {
	bool is_context;
	uint32_t offset;
	LLVMValueRef at; /* i64, an address in other memory, to which `offset` is added */
	enum type_space space;
};

static struct spot moved(struct spot p, uint32_t offset)
{
	p.offset += offset;
	return p;
}

static LLVMValueRef address_of(struct gen *g, struct spot p)
{
	LLVMValueRef at = p.is_context ? GEN_CALL(g, "sonde_memory_number", g->body.ctx) : p.at;

	return p.offset ? gen_plus(g, at, p.offset) : at;
}

static struct value read_context(struct gen *g, uint32_t offset, const struct type *type)
{
	LLVMValueRef v, buf;

	if (!type_is_memory(type)) {
		v = LLVMBuildLoad2(g->b, gen_int_type(g, type->size),
				   gen_at(g, g->body.ctx, offset), "");
		LLVMSetVolatile(v, true); /* see gen_register() */
		v = LLVMBuildIntCast2(g->b, v, g->i64, type->is_signed, "");
		return gen_int_value(v, type);
	}
	buf = gen_big_buffer(g, type->size);
	gen_zero(g, buf, type->size);
	for (uint32_t i = 0; i + 8 <= type->size; i += 8)
		LLVMBuildStore(g->b, gen_register(g, offset + i), gen_at(g, buf, i));
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

static struct value read_place(struct gen *g, struct spot p, const struct type *type)
{
	if (p.is_context)
		return read_context(g, p.offset, type);
	return gen_read_at(g, address_of(g, p), p.space, type);
}

/* The struct that a pointer points to, through all its levels. */
static struct spot pointed_to(struct gen *g, struct expr *pointer, const struct type **owner)
{
	const struct type *t = pointer->type;
	struct spot p = {.space = t->space, .is_context = ast_is_context(pointer)};

	if (!p.is_context)
		p.at = gen_int(g, pointer);
	for (t = t->to; t->kind == TY_POINTER; t = t->to)
		p = (struct spot){.at = read_place(g, p, t).v,
				  .space = t->space == SPACE_NONE ? p.space : t->space};
	*owner = t;
	return p;
}

/* An index that is too large gives address 0, whose read fails and is counted. */
static LLVMValueRef element_offset(struct gen *g, struct expr *e, const struct type *array)
{
	LLVMValueRef i = gen_int(g, e->index.at), offset, inside;
	uint32_t n = array->kind == TY_ARRAY ? type_elements(array) : 0;

	offset = LLVMBuildMul(g->b, i, gen_u64(g, array->to->size), "");
	if (!n)
		return offset;
	inside = gen_compare(g, LLVMIntULT, i, n);
	return LLVMBuildSelect(g->b, inside, offset, gen_u64(g, INT64_MIN), "");
}

static struct spot place_of(struct gen *g, struct expr *e);

static struct spot element_place(struct gen *g, struct expr *e)
{
	struct expr *object = e->index.object;
	const struct type *t = object->type;
	struct gen_kept kept;
	struct spot p;

	if (t->kind == TY_POINTER)
		p = (struct spot){.at = gen_int(g, object), .space = t->space};
	else
		p = place_of(g, object);
	if (e->index.at->kind == EX_INT)
		return moved(p, (uint32_t)e->index.at->integer.value * t->to->size);
	kept = gen_keep(g, gen_int_value(address_of(g, p), type_int(8, false)));
	p.at = element_offset(g, e, t);
	return (struct spot){.at = LLVMBuildAdd(g->b, gen_kept_value(g, &kept).v, p.at, ""),
			     .space = p.space};
}

/* The member that e names, and the place of the struct that it is in. */
static struct spot owner_place(struct gen *g, struct expr *e, struct type_member *m)
{
	const struct type *owner = e->field.object->type;
	struct spot p;

	if (owner->kind == TY_POINTER)
		p = pointed_to(g, e->field.object, &owner);
	else
		p = place_of(g, e->field.object);
	layout_find(owner, e->field.name, m);
	return p;
}

static struct spot place_of(struct gen *g, struct expr *e)
{
	struct type_member m;
	struct spot p;

	if (e->kind == EX_UNARY)
		return (struct spot){.at = gen_int(g, e->unary.operand),
				     .space = probe_address_space(g->probe.point,
								  e->unary.operand->type)};
	if (e->kind == EX_INDEX)
		return element_place(g, e);
	p = owner_place(g, e, &m);
	return moved(p, m.offset);
}

LLVMValueRef gen_address(struct gen *g, struct expr *e)
{
	if (ast_is_place(e))
		return address_of(g, place_of(g, e));
	if (ast_is_args_field(e))
		return gen_field_address(g, e->field.fields[g->probe.plan->point]);
	return GEN_CALL(g, "sonde_memory_number", gen_var_at(g, e->var.var->id));
}

/* ---- bit-fields -------------------------------------------------------------------------- */

static LLVMValueRef bits_of(struct gen *g, LLVMValueRef word, const struct type_member *m)
{
	LLVMValueRef above = gen_u64(g, WORD_BITS - m->bits);

	word = LLVMBuildShl(g->b, word, gen_u64(g, WORD_BITS - m->bits - m->bit), "");
	return (m->type->is_signed ? LLVMBuildAShr : LLVMBuildLShr)(g->b, word, above, "");
}

static uint32_t bytes_of(const struct type_member *m)
{
	return (m->bit + m->bits + BYTE_BITS - 1) / BYTE_BITS;
}

static struct value read_bits(struct gen *g, struct spot p, const struct type_member *m)
{
	LLVMValueRef buf = gen_buffer(g, 8), v;

	gen_zero(g, buf, 8);
	gen_read_to(g, buf, bytes_of(m), address_of(g, p), p.space);
	v = bits_of(g, gen_word(g, buf), m);
	gen_buffer_end(g, buf, 8);
	return gen_int_value(v, m->type);
}

/* ---- copies in sonde's memory ------------------------------------------------------------ */

/* The alignment of `offset`: the largest power of two that divides it, at most the one that `size`
 * needs. */
static uint32_t alignment(uint32_t offset, uint32_t size)
{
	uint32_t align = 8;

	while (offset % align || align > size)
		align /= 2;
	return align;
}

void gen_copy_bytes(struct gen *g, LLVMValueRef to, LLVMValueRef at, uint32_t size, uint32_t offset)
{
	if (size <= INLINE_BYTES)
		LLVMBuildMemCpy(g->b, to, 8, at, alignment(offset, 8), gen_u64(g, size));
	else
		GEN_CALL(g, "sonde_memory_read", to, gen_u32(g, size), at);
}

/* Values in memory are aligned to 8 bytes: a value that is not is copied. */
struct value gen_load_part(struct gen *g, const struct type *type, LLVMValueRef base,
			   uint32_t offset)
{
	LLVMValueRef at = gen_at(g, base, offset), buf;

	if (offset % 8 == 0)
		return (struct value){.kind = V_MEM, .type = type, .v = at};
	buf = gen_big_buffer(g, type->size);
	gen_copy_bytes(g, buf, at, type->size, offset);
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

static struct value load_bits(struct gen *g, const struct type_member *m, LLVMValueRef base)
{
	LLVMValueRef word = gen_u64(g, 0);

	for (uint32_t i = 0; i < bytes_of(m); i++) {
		LLVMValueRef byte = LLVMBuildLoad2(g->b, g->i8, gen_at(g, base, m->offset + i), "");

		byte = gen_extended(g, byte);
		byte = LLVMBuildShl(g->b, byte, gen_u64(g, (uint64_t)i * BYTE_BITS), "");
		word = LLVMBuildOr(g->b, word, byte, "");
	}
	return gen_int_value(bits_of(g, word, m), m->type);
}

/* Load a member. LLVM would load byte by byte what is aligned to less than its size. */
static struct value load_member(struct gen *g, const struct type_member *m, LLVMValueRef base)
{
	uint32_t size = m->type->size;
	LLVMValueRef v;

	if (m->bits)
		return load_bits(g, m, base);
	if (type_is_memory(m->type))
		return gen_load_part(g, m->type, base, m->offset);
	v = LLVMBuildLoad2(g->b, gen_int_type(g, size), gen_at(g, base, m->offset), "");
	LLVMSetAlignment(v, alignment(m->offset, size));
	return gen_int_value(LLVMBuildIntCast2(g->b, v, g->i64, m->type->is_signed, ""), m->type);
}

/* ---- members and elements ---------------------------------------------------------------- */

struct value gen_member(struct gen *g, struct expr *e)
{
	struct type_member m;
	struct spot p;

	if (!ast_is_place(e)) {
		struct value v = gen_expr(g, e->field.object);

		layout_find(v.type, e->field.name, &m);
		return load_member(g, &m, v.v);
	}
	p = owner_place(g, e, &m);
	p = moved(p, m.offset);
	return m.bits ? read_bits(g, p, &m) : read_place(g, p, e->type);
}

struct value gen_element(struct gen *g, struct expr *e)
{
	return read_place(g, place_of(g, e), e->type);
}
