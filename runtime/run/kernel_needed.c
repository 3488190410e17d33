/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which scripts run without the kernel: see kernel_needed.h.
 */
#include "runtime/run/kernel_needed.h"
#include "parser/lang/probe.h"
#include "parser/plan/plan.h"
#include "runtime/base/recorded_events.h"

static const char *missing_of(const struct plan_needs *n, const struct recorded_events *all)
{
	bool has_stacks = all && all->has_stacks;
	const struct {
		bool is_needed;
		const char *text;
	} rows[] = {
		{n->kstack && !has_stacks, "a kernel stack"},
		{n->ustack && !has_stacks, "a user stack"},
		{n->cgroup && !all, "the cgroup of a thread"},
		{n->paths, "path() of a file of the kernel"},
		{n->pids, "other threads by number"},
		{n->packets, "packets"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_needed)
			return rows[i].text;
	return NULL;
}

/* A timer that looks at what runs, an event of a counter, a raw tracepoint: recorded by name, or
 * refused before. */
static bool is_named(enum plan_prog_kind kind)
{
	return prog_kind_is(kind, PK_EVENT | PK_TYPED) ||
	       (prog_kind_is(kind, PK_PERIOD) && prog_kind_is(kind, PK_SCOPED));
}

const char *kernel_needed(const struct plan *p, const struct recorded_events *all,
			  const struct plan_probe **probe)
{
	uint32_t runs = PK_TRACER | (all ? PK_RECORD | PK_SYSCALL | PK_SWITCH | PK_SPANS |
						     PK_USER_FUNCTION | PK_KERNEL_FUNCTION | PK_ENDS
					 : 0);

	*probe = NULL;
	for (uint32_t i = 0; i < p->n_progs; i++) {
		const struct plan_prog *g = &p->progs[i];

		if (prog_kind_is(g->kind, runs) || (all && is_named(g->kind)))
			continue;
		*probe = g->n_probes   ? &p->probes[g->probes[0]]
			 : g->n_starts ? &p->probes[g->starts[0]]
				       : NULL;
		return "an event of the kernel";
	}
	return missing_of(&p->needs, all);
}
