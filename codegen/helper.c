/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: of BPF helpers by number, and of the functions of bpf_helpers/, whose bitcode is embedded
 * in the program: a file of it is linked into the module when the first of its functions is called.
 */
#include "gen.h"
#include "bitcode.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

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

/* The bitcode that holds sonde_NAME or sonde_NAME_…: ORDER helper_names. Of `number` there are two
 * forms. */
static const struct bitcode *bitcode_of(const struct gen *g, const char *symbol)
{
	size_t len = strlen("sonde_");

	if (strncmp(symbol, "sonde_", len) != 0)
		return NULL;
	symbol += len;
	len = strcspn(symbol, "_");
	if (g->plan->needs.pid_namespace && strncmp(symbol, "number_", len + 1) == 0) {
		symbol = "numberns";
		len = strlen(symbol);
	}
	for (const struct bitcode *bc = bitcodes; bc->begin; bc++)
		if (strlen(bc->name) == len && strncmp(bc->name, symbol, len) == 0)
			return bc;
	return NULL;
}

static int link_one(struct gen *g, const struct bitcode *bc)
{
	LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRange(
		bc->begin, (size_t)(bc->end - bc->begin), bc->name, false);
	LLVMModuleRef m;
	int err;

	err = LLVMParseBitcodeInContext2(g->llvm, buf, &m) || LLVMLinkModules2(g->module, m);
	LLVMDisposeMemoryBuffer(buf);
	if (err) {
		g->failed = true;
		snprintf(g->message, sizeof(g->message), "cannot link the helpers of %s", bc->name);
	}
	return err ? -1 : 0;
}

/* A function or variable of ours that is declared and not defined; NULL when all are there. */
static const char *find_missing(struct gen *g)
{
	for (LLVMValueRef v = LLVMGetFirstFunction(g->module); v; v = LLVMGetNextFunction(v))
		if (LLVMIsDeclaration(v) && bitcode_of(g, LLVMGetValueName(v)))
			return LLVMGetValueName(v);
	for (LLVMValueRef v = LLVMGetFirstGlobal(g->module); v; v = LLVMGetNextGlobal(v))
		if (LLVMIsDeclaration(v) && bitcode_of(g, LLVMGetValueName(v)))
			return LLVMGetValueName(v);
	return NULL;
}

int gen_link_missing(struct gen *g)
{
	const char *name;

	while (!g->failed && (name = find_missing(g)))
		link_one(g, bitcode_of(g, name));
	return g->failed ? -1 : 0;
}

static LLVMValueRef own_function(struct gen *g, const char *name)
{
	LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);

	if (!fn && bitcode_of(g, name) && link_one(g, bitcode_of(g, name)) == 0)
		fn = LLVMGetNamedFunction(g->module, name);
	if (fn && LLVMIsDeclaration(fn) && link_one(g, bitcode_of(g, name)) == 0)
		fn = LLVMGetNamedFunction(g->module, name);
	return fn;
}

/* More than BPF calls can have: these are inlined. */
enum { OWN_ARGS = 6 };

LLVMValueRef gen_own(struct gen *g, const char *name, LLVMValueRef *args, unsigned n)
{
	LLVMValueRef fn = own_function(g, name), call, converted[OWN_ARGS];
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
