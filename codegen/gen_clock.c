/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gen_* hooks of builtins.def for clocks, registers and other properties of the machine, and
 * for constants of a run.
 */
#include "codegen/gen.h"
#include "parser/base/regs.h"
#include "parser/lang/register.h"

static LLVMValueRef constant(struct gen *g, const char *helper)
{
	return gen_call_helper(g, helper, NULL, 0);
}

struct value gen_nsecs(struct gen *g, struct expr *e)
{
	static const int helpers[] = {
		[NSECS_BOOT] = BPF_FUNC_ktime_get_boot_ns,
		[NSECS_MONOTONIC] = BPF_FUNC_ktime_get_ns,
		[NSECS_TAI] = BPF_FUNC_ktime_get_tai_ns,
		[NSECS_SW_TAI] = BPF_FUNC_ktime_get_boot_ns,
	};
	LLVMValueRef now = gen_helper(g, helpers[e->name.word], NULL, 0);

	if (e->name.word == NSECS_SW_TAI)
		now = LLVMBuildAdd(g->b, now, constant(g, "sonde_config_tai"), "");
	return gen_int_value(now, e->type);
}

struct value gen_elapsed(struct gen *g, struct expr *e)
{
	LLVMValueRef now = gen_helper(g, BPF_FUNC_ktime_get_boot_ns, NULL, 0);

	now = LLVMBuildSub(g->b, now, gen_call_helper(g, "sonde_config_start", NULL, 0), "");
	return gen_int_value(now, e->type);
}

struct value gen_jiffies(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_helper(g, BPF_FUNC_jiffies64, NULL, 0), e->type);
}

struct value gen_numaid(struct gen *g, struct expr *e)
{
	LLVMValueRef node = gen_helper(g, BPF_FUNC_get_numa_node_id, NULL, 0);

	return gen_int_value(gen_masked(g, node, UINT32_MAX), e->type);
}

struct value gen_cpid(struct gen *g, struct expr *e)
{
	return gen_int_value(constant(g, "sonde_config_command"), e->type);
}

struct value gen_has_cpid(struct gen *g, struct expr *e)
{
	LLVMValueRef is = gen_truth(g, constant(g, "sonde_config_command"));

	return gen_int_value(gen_extended(g, is), e->type);
}

struct value gen_probetype(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_u64(g, g->probe.plan->type_id), e->type);
}

/* ---- registers --------------------------------------------------------------------------- */

struct value gen_reg(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_register(g,
					  (uint32_t)register_offset(e->call.args[0]->string.text)),
			     e->type);
}

/* usermode. If the context has registers, they tell the mode. In other probes that fire in a thread
 * the kernel runs the program, so the value is 0. BEGIN and the like run in a system call of the
 * tracer: 1. */
struct value gen_usermode(struct gen *g, struct expr *e)
{
	enum probe_id id = g->probe.point->id;
	LLVMValueRef is;

	if (!(W_REGISTERS & 1u << probe_rows[id].context))
		return gen_int_value(gen_u64(g, !(probe_rows[id].traits & PR_IN_PROCESS)), e->type);
	is = gen_masked(g, gen_register(g, regs.mode), regs.mode_mask);
	is = gen_compare(g, LLVMIntEQ, is, regs.mode_user);
	return gen_int_value(gen_extended(g, is), e->type);
}
