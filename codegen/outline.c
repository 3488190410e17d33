/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which functions of bpf_helpers/ are inlined. In a short script all are, as their
 * attributes demand. In a long script some of them (outlined.def) become functions of their own,
 * since LLVM's time is proportional to the number of instructions. If a program then exceeds the
 * limit of nested calls, of stack or of functions, it is generated again with all functions
 * inlined.
 */
#include "codegen/emit.h"

enum {
	/* LLVM's instructions, without those of functions of bpf_helpers/ */
	LONG_SCRIPT = 1500,
	MANY_CALLS = 3,
};

static const char *const names[] = {
#define OUTLINE(name) #name,
#include "bpf_helpers/outlined.def"
};

static void change(struct gen *g, LLVMValueRef fn, const char *remove, const char *add)
{
	unsigned old = LLVMGetEnumAttributeKindForName(remove, strlen(remove));
	unsigned new = LLVMGetEnumAttributeKindForName(add, strlen(add));

	LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, old);
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(g->llvm, new, 0));
}

static bool is_inlined(LLVMValueRef fn)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));

	return !LLVMIsDeclaration(fn) &&
	       LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
}

/* The number of calls of a function that remain when its callers have been inlined, at most
 * MANY_CALLS. */
static uint32_t calls_of(LLVMValueRef fn)
{
	uint32_t n = 0;

	for (LLVMUseRef u = LLVMGetFirstUse(fn); u && n < MANY_CALLS; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u), caller = NULL;

		if (LLVMIsAInstruction(call))
			caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
		n += caller && is_inlined(caller) ? calls_of(caller) : 1;
	}
	return n;
}

/* A call needs a location if both functions have debug info. If a call has none, its caller is a
 * function of bpf_helpers/ with the attribute nodebug, which clang has described as a declaration
 * only. The description is removed. The function is inlined, or gets debug info when it is outlined
 * itself. */
static void drop_declarations(LLVMValueRef fn)
{
	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);

		if (LLVMIsAInstruction(call) && !LLVMInstructionGetDebugLoc(call))
			LLVMSetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)),
					  NULL);
	}
}

enum { MOST_LOOP_OPERANDS = 8 };

static bool is_location(LLVMValueRef v)
{
	return v && LLVMGetMetadataKind(LLVMValueAsMetadata(v)) == LLVMDILocationMetadataKind;
}

/* Remove locations from the metadata of a loop: clang stores there where the loop begins and ends,
 * as places in the function that it has described. Other operands, such as "do not unroll", stay;
 * the first operand is the node itself. */
static void drop_loop_places(struct gen *g, LLVMValueRef branch)
{
	unsigned kind = LLVMGetMDKindIDInContext(g->llvm, "llvm.loop", strlen("llvm.loop"));
	LLVMValueRef loop = LLVMGetMetadata(branch, kind), operands[MOST_LOOP_OPERANDS];
	LLVMMetadataRef kept[MOST_LOOP_OPERANDS], self;
	unsigned n = 1;

	if (!loop || LLVMGetMDNodeNumOperands(loop) > MOST_LOOP_OPERANDS)
		return;
	LLVMGetMDNodeOperands(loop, operands);
	for (unsigned i = 1; i < LLVMGetMDNodeNumOperands(loop); i++)
		if (!is_location(operands[i]))
			kept[n++] = LLVMValueAsMetadata(operands[i]);
	kept[0] = LLVMTemporaryMDNode(g->llvm, NULL, 0);
	self = LLVMMDNodeInContext2(g->llvm, kept, n);
	LLVMMetadataReplaceAllUsesWith(kept[0], self);
	LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(g->llvm, self));
}

/* Set the location of all instructions; NULL: none. */
static void set_places(struct gen *g, LLVMValueRef fn, LLVMMetadataRef at)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMInstructionSetDebugLoc(i, at);
			drop_loop_places(g, i);
		}
}

/* Give a function debug info. The kernel demands BTF of all functions or of none, and clang has
 * described some functions as declarations only. Calls need a location in the function: it becomes
 * part of the locations of inlined code. */
static void add_debug_info(struct gen *g, LLVMValueRef fn, const char *name)
{
	LLVMMetadataRef sub = gen_di_body(g, fn, name, LLVMCountParams(fn), SPAN_NONE);
	LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(g->llvm, 0, 0, sub, NULL);

	set_places(g, fn, at);
}

static void outline(struct gen *g, LLVMValueRef fn, const char *name)
{
	change(g, fn, "alwaysinline", "noinline");
	LLVMSetLinkage(fn, LLVMInternalLinkage);
	add_debug_info(g, fn, name);
	drop_declarations(fn);
	g->has_outlined = true;
}

/* Remove the locations in a function. Inlined code without locations of its own gets that of the
 * call. */
static void drop_places(struct gen *g, LLVMValueRef fn)
{
	LLVMSetSubprogram(fn, NULL);
	set_places(g, fn, NULL);
}

void outline_drop_places(struct gen *g)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(g->module); fn; fn = LLVMGetNextFunction(fn))
		if (is_inlined(fn))
			drop_places(g, fn);
}

bool outline_is_wanted(const struct gen *g)
{
	uint32_t most;

	return !g->inlines && emit_instructions(g, &most) > LONG_SCRIPT;
}

static LLVMValueRef row_function(struct gen *g, size_t i)
{
	LLVMValueRef fn = LLVMGetNamedFunction(g->module, names[i]);

	return fn && !LLVMIsDeclaration(fn) ? fn : NULL;
}

void outline_choose(struct gen *g, bool is_wanted)
{
	size_t n = sizeof(names) / sizeof(*names);

	for (size_t i = 0; i < n; i++)
		if (row_function(g, i))
			change(g, row_function(g, i), "noinline", "alwaysinline");
	for (size_t i = 0; is_wanted && i < n; i++)
		if (row_function(g, i) && calls_of(row_function(g, i)) >= MANY_CALLS)
			outline(g, row_function(g, i), names[i]);
}
