/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which capabilities a plan requires, by its maps and kinds of programs.
 */
#include "runtime/kernel/missing_capability.h"
#include "parser/plan/plan.h"

static bool has_kind(const struct plan *plan, enum plan_prog_kind a, enum plan_prog_kind b)
{
	for (uint32_t i = 0; i < plan->n_progs; i++)
		if (plan->progs[i].kind == a || plan->progs[i].kind == b)
			return true;
	return false;
}

static bool has_spans(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->n_probes; i++)
		if (plan->probes[i].has_span)
			return true;
	return false;
}

const struct capability_row *missing_capability_find(const struct plan *plan, struct kernel *k)
{
	const struct {
		enum capability_id id;
		bool is_required;
	} required[] = {
		{CAP_RING_BUFFER, plan->needs.ring_buffer},
		{CAP_TASK_STORAGE, plan->needs.scope || has_spans(plan)},
		{CAP_RAW_TRACEPOINTS, has_kind(plan, PP_TP_BTF, PP_SWITCH_SPAN) ||
					      has_kind(plan, PP_SYSCALL_ENTER, PP_SYSCALL_EXIT)},
		{CAP_FENTRY, has_kind(plan, PP_FENTRY, PP_FEXIT)},
		{CAP_ITERATORS, has_kind(plan, PP_ITER, PP_OPEN_SPANS)},
	};

	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
		if (required[i].is_required && kernel_lacks(k, required[i].id))
			return &capability_rows[required[i].id];
	return NULL;
}
