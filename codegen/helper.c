/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of BPF helpers, and of the functions of bpf_helpers/, whose bitcode is embedded in sonde as
 * a library. LLVM reads the bodies of functions that are called, directly or indirectly.
 */
#include "codegen/gen.h"
#include "parser/base/text.h"
#include "codegen/bitcode.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

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
	LLVMMemoryBufferRef buf =
		LLVMCreateMemoryBufferWithMemoryRange(bytes, (size_t)(end - bytes), "bpf_helpers",
						      false);

	/* reads functions lazily; takes ownership of buf */
	if (!LLVMGetBitcodeModuleInContext2(g->llvm, buf, &g->library))
		return 0;
	g->failed = true;
	snprintf(g->message, sizeof(g->message), "cannot read the helpers");
	return -1;
}

/* Change the linkage of all definitions from one kind to another. LLVM's linker copies all of a
 * library except for "link once" definitions, which it copies when they are used. So all
 * definitions have that linkage while linking. */
static void set_linkage(LLVMModuleRef module, LLVMLinkage from, LLVMLinkage to)
{
	for (LLVMValueRef v = LLVMGetFirstFunction(module); v; v = LLVMGetNextFunction(v))
		if (!LLVMIsDeclaration(v) && LLVMGetLinkage(v) == from)
			LLVMSetLinkage(v, to);
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
		if (!LLVMIsDeclaration(v) && LLVMGetLinkage(v) == from)
			LLVMSetLinkage(v, to);
}

static const struct {
	const char *name;
	bool is_user;
} linked[] = {
#define ALL false
#define USER true
#define LINKED(name, of) {#name, of},
#include "bpf_helpers/linked.def"
#undef USER
#undef ALL
};

bool helper_is_linked(const struct gen *g, const char *name)
{
	const struct plan_needs *needs = &g->plan->needs;

	__auto_type row = TEXT_ROW(linked, name, name, strlen(name));

	return row && (needs->ustack || (needs->kstack && !row->is_user));
}

/* Declare the maps and data that the linked functions use (linked.def): the linker copies what is
 * declared. */
static void declare_linked(struct gen *g)
{
	for (size_t i = 0; i < sizeof(linked) / sizeof(*linked); i++)
		if (helper_is_linked(g, linked[i].name))
			LLVMAddGlobal(g->module, g->i8, linked[i].name);
}

int helper_link(struct gen *g)
{
	LLVMModuleRef library = g->library;

	declare_linked(g);
	g->library = NULL; /* the linker disposes of it */
	set_linkage(library, LLVMExternalLinkage, LLVMLinkOnceODRLinkage);
	if (LLVMLinkModules2(g->module, library)) {
		snprintf(g->message, sizeof(g->message), "cannot link the helpers");
		return -1;
	}
	set_linkage(g->module, LLVMLinkOnceODRLinkage, LLVMExternalLinkage);
	return 0;
}

/* The module's declaration of a library function. NULL if the library does not have it. */
static LLVMValueRef helper_function(struct gen *g, const char *name)
{
	LLVMValueRef fn = LLVMGetNamedFunction(g->module, name), model;

	if (fn)
		return fn;
	model = LLVMGetNamedFunction(g->library, name);
	return model ? LLVMAddFunction(g->module, name, LLVMGlobalGetValueType(model)) : NULL;
}

/* A call of a BPF function has at most 5 arguments; functions with more are inlined. */
enum { MAX_ARGS = 7 };

LLVMValueRef gen_call_helper(struct gen *g, const char *name, LLVMValueRef *args, unsigned n)
{
	LLVMValueRef fn = helper_function(g, name), call, converted[MAX_ARGS];
	LLVMTypeRef type, params[MAX_ARGS];

	if (!fn || LLVMCountParams(fn) != n || n > MAX_ARGS) {
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
