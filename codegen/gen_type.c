/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values in memory: constants, buffers on the BPF stack, typed loads and stores. String literals
 * are stored as immediates, 8 bytes at a time: no .rodata, no copy.
 */
#include "codegen/gen.h"

LLVMValueRef gen_u64(struct gen *g, uint64_t n)
{
	return LLVMConstInt(g->i64, n, false);
}

LLVMValueRef gen_u32(struct gen *g, uint32_t n)
{
	return LLVMConstInt(g->i32, n, false);
}

LLVMValueRef gen_at(struct gen *g, LLVMValueRef base, uint32_t offset)
{
	LLVMValueRef index = gen_u64(g, offset);

	return offset ? LLVMBuildGEP2(g->b, g->i8, base, &index, 1, "") : base;
}

static void lifetime(struct gen *g, const char *name, LLVMValueRef buffer, uint32_t size)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, &g->ptr, 1);
	LLVMValueRef args[] = {gen_u64(g, size), buffer};

	LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
}

LLVMValueRef gen_buffer(struct gen *g, uint32_t size)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
	LLVMValueRef first = LLVMGetFirstInstruction(g->body.entry), buffer;
	LLVMMetadataRef at = LLVMGetCurrentDebugLocation2(g->b);
	uint32_t words = (size + 7) / 8;

	if (first) /* this also takes over the location of `first` */
		LLVMPositionBuilderBefore(g->b, first);
	else
		LLVMPositionBuilderAtEnd(g->b, g->body.entry);
	buffer = LLVMBuildAlloca(g->b, LLVMArrayType(g->i64, words ? words : 1), "");
	LLVMPositionBuilderAtEnd(g->b, here);
	LLVMSetCurrentDebugLocation2(g->b, at);
	lifetime(g, "llvm.lifetime.start", buffer, words * 8);
	arena_push(g->arena, g->slots, g->n_slots,
		   ((struct gen_slot){g->body.fn, buffer, words * 8, false}));
	return buffer;
}

void gen_buffer_end(struct gen *g, LLVMValueRef buffer, uint32_t size)
{
	for (uint32_t i = g->n_slots; i-- > 0;)
		if (g->slots[i].buffer == buffer) {
			g->slots[i].is_ended = true;
			break;
		}
	lifetime(g, "llvm.lifetime.end", buffer, (size + 7) / 8 * 8);
}

void gen_buffers_end(struct gen *g, uint32_t n)
{
	for (uint32_t i = n; i < g->n_slots; i++)
		if (g->slots[i].fn == g->body.fn && !g->slots[i].is_ended)
			lifetime(g, "llvm.lifetime.end", g->slots[i].buffer, g->slots[i].bytes);
	g->n_slots = n;
}

struct value gen_int_value(LLVMValueRef v, const struct type *type)
{
	return (struct value){.kind = V_INT, .type = type, .v = v};
}

LLVMTypeRef gen_int_type(struct gen *g, uint32_t size)
{
	return size == 1 ? g->i8 : size == 2 ? g->i16 : size == 4 ? g->i32 : g->i64;
}

/* The largest power of two, up to 8, within the bytes left and the alignment of `at`. */
static uint32_t chunk(uint32_t left, uint32_t at)
{
	uint32_t n = 8;

	while (n > left || at % n)
		n /= 2;
	return n;
}

/* Fill bytes `at` to `size` of `dest`, which is aligned to 8, with `text` and zeros. */
static void store_chars(struct gen *g, const char *text, uint32_t len, uint32_t at, uint32_t size,
			LLVMValueRef dest)
{
	for (uint32_t n; at < size; at += n) {
		uint64_t word = 0;
		LLVMValueRef st;

		n = chunk(size - at, at);
		if (at < len)
			memcpy(&word, text + at, len - at < n ? len - at : n);
		st = LLVMBuildStore(g->b, LLVMConstInt(gen_int_type(g, n), word, false),
				    gen_at(g, dest, at));
		LLVMSetAlignment(st, n);
	}
}

void gen_zero_from(struct gen *g, LLVMValueRef dest, uint32_t at, uint32_t size)
{
	if (size > at + INLINE_BYTES)
		GEN_CALL(g, "sonde_memory_zero", gen_at(g, dest, at), gen_u32(g, size - at));
	else
		store_chars(g, "", 0, at, size, dest);
}

void gen_zero(struct gen *g, LLVMValueRef dest, uint32_t size)
{
	gen_zero_from(g, dest, 0, size);
}

static void store_string(struct gen *g, struct value v, uint32_t size, LLVMValueRef dest)
{
	uint32_t have = v.type->size < size ? v.type->size : size;

	/* strings are aligned to 8 everywhere: on the stack, in keys, values, records, spans */
	gen_copy_bytes(g, dest, v.v, have, 0);
	gen_zero_from(g, dest, have, size);
}

LLVMValueRef gen_constant_data(struct gen *g, LLVMValueRef data, const char *name,
			       const char *section)
{
	LLVMValueRef global = LLVMAddGlobal(g->module, LLVMTypeOf(data), name);

	LLVMSetInitializer(global, data);
	LLVMSetGlobalConstant(global, true);
	LLVMSetSection(global, section);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, 8);
	return global;
}

LLVMValueRef gen_constant(struct gen *g, const char *text, uint32_t len)
{
	return gen_constant_data(g, LLVMConstStringInContext2(g->llvm, text, len, false), "text",
				 ".rodata.texts");
}

/* Store a short literal by words, copy a long one, then zero the rest. */
static void store_literal(struct gen *g, struct value v, uint32_t size, LLVMValueRef dest)
{
	uint32_t len = v.len < size ? v.len : size - 1, words = (len + 8) / 8 * 8;

	words = words < size ? words : size;
	if (len <= INLINE_BYTES)
		store_chars(g, v.literal, len, 0, words, dest);
	else
		gen_copy_bytes(g, dest, gen_constant(g, v.literal, len), len, 0);
	gen_zero_from(g, dest, len <= INLINE_BYTES ? words : len, size);
}

void gen_store(struct gen *g, struct value v, const struct type *type, LLVMValueRef dest)
{
	LLVMValueRef st;

	switch (v.kind) {
	case V_INT:
		st = LLVMBuildStore(g->b,
				    LLVMBuildIntCast2(g->b, v.v, gen_int_type(g, type->size), false,
						      ""),
				    dest);
		LLVMSetAlignment(st, type->size < 8 ? type->size : 8);
		return;
	case V_MEM:
		if (type_is_compound(type) && !type_equal(v.type, type))
			gen_store_parts(g, v, type, dest);
		else
			store_string(g, v, type->size, dest);
		return;
	case V_LITERAL: store_literal(g, v, type->size, dest); return;
	case V_NONE: return;
	}
}

struct value gen_load(struct gen *g, const struct type *type, LLVMValueRef src)
{
	LLVMValueRef v;

	if (type_is_memory(type))
		return (struct value){.kind = V_MEM, .type = type, .v = src};
	v = LLVMBuildLoad2(g->b, gen_int_type(g, type->size), src, "");
	LLVMSetAlignment(v, type->size);
	return gen_int_value(LLVMBuildIntCast2(g->b, v, g->i64, type->is_signed, ""), type);
}

LLVMValueRef gen_word(struct gen *g, LLVMValueRef at)
{
	return LLVMBuildLoad2(g->b, g->i64, at, "");
}

LLVMValueRef gen_compare(struct gen *g, LLVMIntPredicate how, LLVMValueRef v, uint64_t n)
{
	return LLVMBuildICmp(g->b, how, v, LLVMConstInt(LLVMTypeOf(v), n, false), "");
}

LLVMValueRef gen_truth(struct gen *g, LLVMValueRef v)
{
	LLVMTypeRef i1 = LLVMInt1TypeInContext(g->llvm);

	/* what gen_extended() has made */
	if (LLVMIsAZExtInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == i1)
		return LLVMGetOperand(v, 0);
	return LLVMBuildICmp(g->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

LLVMValueRef gen_extended(struct gen *g, LLVMValueRef v)
{
	return LLVMBuildZExt(g->b, v, g->i64, "");
}

LLVMValueRef gen_plus(struct gen *g, LLVMValueRef v, uint64_t n)
{
	return LLVMBuildAdd(g->b, v, gen_u64(g, n), "");
}

LLVMValueRef gen_masked(struct gen *g, LLVMValueRef v, uint64_t mask)
{
	return LLVMBuildAnd(g->b, v, gen_u64(g, mask), "");
}

LLVMValueRef gen_shifted(struct gen *g, LLVMValueRef v, uint32_t bits)
{
	return LLVMBuildLShr(g->b, v, gen_u64(g, bits), "");
}

LLVMBasicBlockRef gen_block(struct gen *g, const char *name)
{
	return LLVMAppendBasicBlockInContext(g->llvm, g->body.fn, name);
}

static LLVMValueRef as_bool(struct gen *g, LLVMValueRef v)
{
	return LLVMTypeOf(v) == LLVMInt1TypeInContext(g->llvm) ? v : gen_truth(g, v);
}

void gen_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise)
{
	LLVMBuildCondBr(g->b, as_bool(g, cond), then, otherwise);
	LLVMPositionBuilderAtEnd(g->b, then);
}

void gen_unless(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef then,
		LLVMBasicBlockRef otherwise)
{
	LLVMBuildCondBr(g->b, as_bool(g, cond), then, otherwise);
	LLVMPositionBuilderAtEnd(g->b, otherwise);
}

void gen_only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef then = gen_block(g, "if");

	gen_if(g, cond, then, otherwise);
}

void gen_enter(struct gen *g, LLVMBasicBlockRef block)
{
	LLVMBuildBr(g->b, block);
	LLVMPositionBuilderAtEnd(g->b, block);
}

LLVMValueRef gen_phi(struct gen *g, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y,
		     LLVMBasicBlockRef from_y)
{
	LLVMValueRef phi = LLVMBuildPhi(g->b, g->i64, "");

	LLVMAddIncoming(phi, (LLVMValueRef[]){x, y}, (LLVMBasicBlockRef[]){from_x, from_y}, 2);
	return phi;
}

void gen_lost(struct gen *g, enum sonde_loss cause)
{
	GEN_CALL(g, "sonde_loss_count", gen_u32(g, g->probe.id), gen_u32(g, cause));
}

void gen_location(struct gen *g, struct span span)
{
	/* in a macro: use the line that calls it */
	struct span root = source_root(g->program->source, span);
	struct place p = source_place(g->program->source, root.start);

	g->probe.at = span;
	LLVMSetCurrentDebugLocation2(g->b, LLVMDIBuilderCreateDebugLocation(g->llvm, p.line, p.col,
									    g->body.di_fn, NULL));
}
