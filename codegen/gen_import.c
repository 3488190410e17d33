/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of functions of imported BPF (bpf_import.h). They are declared with the types that BTF
 * gives them, because libbpf compares these when it links the objects. In code all arguments and
 * results are 64 bits wide: a register.
 */
#include "codegen/gen.h"
#include "parser/lang/bpf_import.h"

enum {
	DW_TAG_STRUCTURE = 0x13,
	DW_TAG_UNION = 0x17,
	DW_ATE_BOOLEAN = 2,
	DW_ATE_SIGNED = 5,
	DW_ATE_SIGNED_CHAR = 6,
	DW_ATE_UNSIGNED = 7,
	DW_ATE_UNSIGNED_CHAR = 8,
};

static unsigned encoding_of(const struct bpf_type *t)
{
	if (t->is_bool)
		return DW_ATE_BOOLEAN;
	if (t->is_char)
		return t->is_signed ? DW_ATE_SIGNED_CHAR : DW_ATE_UNSIGNED_CHAR;
	return t->is_signed ? DW_ATE_SIGNED : DW_ATE_UNSIGNED;
}

static LLVMMetadataRef declare_base(struct gen *g, const struct bpf_type *t)
{
	size_t len = strlen(t->name);
	unsigned tag = t->base == BPF_BASE_UNION ? DW_TAG_UNION : DW_TAG_STRUCTURE;

	switch (t->base) {
	case BPF_BASE_VOID: return NULL;
	case BPF_BASE_INT:
		return LLVMDIBuilderCreateBasicType(g->di, t->name, len, t->size * 8,
						    encoding_of(t), LLVMDIFlagZero);
	case BPF_BASE_ENUM:
		return LLVMDIBuilderCreateEnumerationType(g->di, g->di_unit, t->name, len,
							  g->di_file, 0, t->size * 8, t->size * 8,
							  NULL, 0, NULL);
	case BPF_BASE_STRUCT:
	case BPF_BASE_UNION: break;
	}
	return LLVMDIBuilderCreateForwardDecl(g->di, tag, t->name, len, g->di_unit, g->di_file, 0,
					      0, 0, 0, t->name, len);
}

static LLVMMetadataRef declare_type(struct gen *g, const struct bpf_type *t)
{
	LLVMMetadataRef type = declare_base(g, t);

	for (uint32_t i = 0; i < t->levels; i++)
		type = LLVMDIBuilderCreatePointerType(g->di, type, 64, 64, 0, "", 0);
	return type;
}

static LLVMValueRef declare_function(struct gen *g, const struct bpf_function *f, LLVMTypeRef type)
{
	LLVMValueRef fn = LLVMAddFunction(g->module, f->name, type);
	LLVMMetadataRef types[BPF_PARAMS + 1] = {declare_type(g, &f->result)}, of;

	for (uint32_t i = 0; i < f->n_params; i++)
		types[i + 1] = declare_type(g, &f->params[i]);
	of = LLVMDIBuilderCreateSubroutineType(g->di, g->di_file, types, f->n_params + 1,
					       LLVMDIFlagZero);
	LLVMSetSubprogram(fn,
			  LLVMDIBuilderCreateFunction(g->di, g->di_file, f->name, strlen(f->name),
						      "", 0, g->di_file, 0, of, false, false, 0,
						      LLVMDIFlagPrototyped, true));
	return fn;
}

/* The value that is passed for `arg`: an i64. */
static struct value argument(struct gen *g, struct expr *arg, const struct bpf_type *to)
{
	struct value v = gen_expr(g, arg);

	if (to->levels && v.type->kind == TY_STRING)
		v.v = gen_text_address(g, v);
	if (to->levels && (v.kind == V_MEM || v.kind == V_LITERAL))
		return gen_int_value(LLVMBuildPtrToInt(g->b, v.v, g->i64, ""), type_int(8, false));
	if (!to->levels)
		v.v = gen_narrow(g, v.v, to->type);
	return v;
}

struct value gen_imported(struct gen *g, struct expr *e)
{
	const struct bpf_function *f = e->call.imported;
	bool is_void = f->result.base == BPF_BASE_VOID && !f->result.levels;
	LLVMTypeRef params[BPF_PARAMS] = {g->i64, g->i64, g->i64, g->i64, g->i64}, type;
	LLVMValueRef fn = LLVMGetNamedFunction(g->module, f->name), args[BPF_PARAMS], v;
	struct gen_kept kept[BPF_PARAMS];

	type = LLVMFunctionType(is_void ? LLVMVoidTypeInContext(g->llvm) : g->i64, params,
				f->n_params, false);
	if (!fn)
		fn = declare_function(g, f, type);
	for (uint32_t i = 0; i < f->n_params; i++)
		kept[i] = gen_keep(g, argument(g, e->call.args[i], &f->params[i]));
	for (uint32_t i = 0; i < f->n_params; i++)
		args[i] = gen_kept_value(g, &kept[i]).v;
	v = LLVMBuildCall2(g->b, type, fn, args, f->n_params, "");
	if (is_void)
		return (struct value){.kind = V_NONE, .type = e->type};
	return gen_int_value(f->result.levels ? v : gen_narrow(g, v, f->result.type), e->type);
}
