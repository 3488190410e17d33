/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -k: reads of memory and lookups in maps report at run time where they failed.
 */
#include "codegen/gen.h"

static void warn_if(struct gen *g, LLVMValueRef failed, LLVMValueRef result, uint32_t helper)
{
	LLVMBasicBlockRef on = gen_block(g, "warn.end");

	gen_only_if(g, failed, on);
	GEN_CALL(g, "sonde_warn", result, gen_u32(g, helper), gen_u32(g, g->probe.at.start),
		 gen_u32(g, g->probe.at.end), gen_u32(g, g->probe.id));
	gen_enter(g, on);
}

void gen_warn_read(struct gen *g, LLVMValueRef result, bool is_user, bool is_string)
{
	uint32_t helper = is_user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel;

	if (is_string)
		helper = is_user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str;
	if (g->plan->needs.warnings)
		warn_if(g, gen_compare(g, LLVMIntNE, result, 0), result, helper);
}

void gen_warn_missing(struct gen *g, LLVMValueRef element)
{
	if (g->plan->needs.warnings)
		warn_if(g, LLVMBuildIsNull(g->b, element, ""), gen_u64(g, 0),
			BPF_FUNC_map_lookup_elem);
}
