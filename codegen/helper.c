/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: of BPF helpers by number, and of the functions of bpf_helpers/, whose bitcode is embedded
 * in the program and linked into each module before code is generated.
 */
#include "gen.h"
#include "bitcode.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>

LLVMValueRef gen_helper(struct gen *g, int number, LLVMValueRef *args, unsigned n)
{
	LLVMTypeRef params[5], type;
	LLVMValueRef address;

	for (unsigned i = 0; i < n; i++)
		params[i] = LLVMTypeOf(args[i]);
	type = LLVMFunctionType(g->i64, params, n, false);
	address = LLVMConstIntToPtr(gen_u64(g, (uint64_t)number), g->ptr);
	return LLVMBuildCall2(g->b, type, address, args, n, "");
}

static LLVMValueRef convert(struct gen *g, LLVMValueRef v, LLVMTypeRef to)
{
	LLVMTypeRef from = LLVMTypeOf(v);

	if (from == to)
		return v;
	if (LLVMGetTypeKind(to) == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(g->b, v, to, "");
	if (LLVMGetTypeKind(from) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(g->b, v, to, "");
	return LLVMBuildIntCast2(g->b, v, to, false, "");
}

LLVMValueRef gen_own(struct gen *g, const char *name, LLVMValueRef *args, unsigned n)
{
	LLVMValueRef fn = LLVMGetNamedFunction(g->module, name), call, converted[5];
	LLVMTypeRef type, params[5];

	if (!fn || LLVMCountParams(fn) != n || n > 5) {
		g->failed = true;
		snprintf(g->message, sizeof(g->message), "no helper %s/%u", name, n);
		return gen_u64(g, 0);
	}
	type = LLVMGlobalGetValueType(fn);
	LLVMGetParamTypes(type, params);
	for (unsigned i = 0; i < n; i++)
		converted[i] = convert(g, args[i], params[i]);
	call = LLVMBuildCall2(g->b, type, fn, converted, n, "");
	return LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind ? NULL : call;
}

int gen_link_helpers(struct gen *g)
{
	for (const struct bitcode *bc = bitcodes; bc->begin; bc++) {
		LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRange(
			bc->begin, (size_t)(bc->end - bc->begin), bc->name, false);
		LLVMModuleRef m;

		if (LLVMParseBitcodeInContext2(g->llvm, buf, &m) || LLVMLinkModules2(g->module, m)) {
			snprintf(g->message, sizeof(g->message), "cannot link helpers of %s", bc->name);
			LLVMDisposeMemoryBuffer(buf);
			return -1;
		}
		LLVMDisposeMemoryBuffer(buf);
	}
	return 0;
}
