/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: of BPF helpers by number, and of the functions of bpf_helpers/, whose bitcode is embedded
 * in the program: the module begins as what that declares, and the bodies of those called are read
 * when they are inlined.
 */
#include "gen.h"
#include "bitcode.h"
#include "llvm_more.h"
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

int helper_begin(struct gen *g)
{
	bool is_inner = g->plan->needs.pid_namespace;
	const char *bytes = is_inner ? sonde_bc_numberns : sonde_bc_number;
	const char *end = is_inner ? sonde_bc_numberns_end : sonde_bc_number_end;

	g->module = more_module(g->llvm, bytes, (size_t)(end - bytes));
	if (g->module)
		return 0;
	g->failed = true;
	snprintf(g->message, sizeof(g->message), "cannot read the helpers");
	return -1;
}

/* More than BPF calls can have: these are inlined. */
enum { OWN_ARGS = 6 };

LLVMValueRef gen_own(struct gen *g, const char *name, LLVMValueRef *args, unsigned n)
{
	LLVMValueRef fn = LLVMGetNamedFunction(g->module, name), call, converted[OWN_ARGS];
	LLVMTypeRef type, params[OWN_ARGS];

	if (!fn || LLVMCountParams(fn) != n || n > OWN_ARGS) {
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
