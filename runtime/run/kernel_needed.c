/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which scripts run without the kernel: see kernel_needed.h.
 */
#include "runtime/run/kernel_needed.h"
#include "parser/base/find.h"
#include "parser/lang/probe.h"
#include "parser/plan/plan.h"

static const char *missing_of(const struct plan_needs *n, const struct kernel_stand_in *in)
{
	const struct {
		bool is_needed;
		const char *text;
	} rows[] = {
		{n->kstack && !in->has_stacks, "a kernel stack"},
		{n->ustack && !in->has_stacks, "a user stack"},
		{n->cgroup && !in->has_cgroups, "the cgroup of a thread"},
		{n->paths, "path() of a file of the kernel"},
		{n->pids, "other threads by number"},
		{n->packets, "packets"},
	};

	__auto_type row = FIND_ROW(rows, item->is_needed);

	return row ? row->text : NULL;
}

const char *kernel_needed(const struct plan *p, const struct kernel_stand_in *in,
			  const struct plan_probe **probe)
{
	static const struct kernel_stand_in none;

	in = in ?: &none;
	*probe = NULL;
	for (uint32_t i = 0; i < p->n_progs; i++) {
		const struct plan_prog *g = &p->progs[i];

		if (prog_kind_is(g->kind, PK_TRACER) || (in->runs && in->runs(g->kind)))
			continue;
		*probe = g->n_probes   ? &p->probes[g->probes[0]]
			 : g->n_starts ? &p->probes[g->starts[0]]
				       : NULL;
		return "an event of the kernel";
	}
	return missing_of(&p->needs, in);
}
