/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which capabilities a plan requires, by its maps and kinds of programs.
 */
#include "runtime/kernel/missing_capability.h"
#include "parser/base/find.h"
#include "parser/plan/plan.h"

static bool has_spans(const struct plan *plan)
{
	return FIND(plan->probes, plan->n_probes, item->state.kind);
}

const struct capability_row *missing_capability_find(const struct plan *plan, struct kernel *k)
{
	if (plan->needs.ring_buffer && kernel_lacks(k, CAP_RING_BUFFER))
		return &capability_rows[CAP_RING_BUFFER];
	if ((plan->needs.scope || has_spans(plan)) && kernel_lacks(k, CAP_TASK_STORAGE))
		return &capability_rows[CAP_TASK_STORAGE];
	for (uint32_t i = 0; i < plan->n_progs; i++) {
		enum capability_id id = prog_rows[plan->progs[i].kind].capability;

		if (id != CAP_NONE && kernel_lacks(k, id))
			return &capability_rows[id];
	}
	return NULL;
}
