/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probes a run has: tests and benchmarks have runs of their own. How many there may be.
 */
#include "parser/plan/plan_build.h"

/* Does such a run have probes of this type? */
static bool has_type(enum plan_run run, enum probe_id id)
{
	uint32_t traits = probe_rows[id].traits;

	if (traits & PR_EVERY_RUN || run == RUN_ALL)
		return true;
	if (traits & PR_TEST)
		return run == RUN_TESTS;
	if (traits & PR_BENCH)
		return run == RUN_BENCHES;
	return run == RUN_ORDINARY;
}

bool plan_runs(const struct plan_options *options, const struct probe *p,
	       const struct attach_point *point)
{
	if (!has_type(options->run, point->id))
		return false;
	if (!options->filter || p->is_start || probe_rows[point->id].traits & PR_UNFILTERED)
		return true;
	return regexec(options->filter, point->name, 0, NULL, 0) == 0;
}

static bool is_unfiltered(const struct program *p, const struct plan_probe *q)
{
	return probe_rows[p->probes[q->ast]->points[q->point].id].traits & PR_UNFILTERED;
}

/* All probes that the filter applies to are left out. */
static void report_filter(const struct program *p, const struct plan *plan, struct diags *d)
{
	const struct attach_point *first = NULL;

	for (uint32_t i = 0; i < plan->n_probes; i++)
		if (!is_unfiltered(p, &plan->probes[i]))
			return;
	for (uint32_t i = 0; i < p->n_probes && !first; i++)
		for (uint32_t j = 0; j < p->probes[i]->n_points && !first; j++)
			if (!(probe_rows[p->probes[i]->points[j].id].traits & PR_UNFILTERED))
				first = &p->probes[i]->points[j];
	if (!first)
		return;
	diag_error(d, first->span, "probe-filter", "--probe-filter leaves out every probe");
	diag_hint(d, "the pattern is searched in names such as '%s'", first->name);
}

void plan_check_run(const struct program *p, const struct plan *plan,
		    const struct plan_options *options, struct diags *d)
{
	enum plan_run run = options->run;

	if (options->filter) {
		report_filter(p, plan, d);
		return;
	}
	for (uint32_t i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *q = &plan->probes[i];
		enum probe_id id = p->probes[q->ast]->points[q->point].id;

		if (run == RUN_ORDINARY || probe_rows[id].traits & (PR_TEST | PR_BENCH))
			return;
	}
	if (!p->n_probes || run == RUN_ALL)
		return;
	if (run == RUN_ORDINARY) {
		diag_error(d, p->probes[0]->points[0].span, "only-tests",
			   "this script has only tests and benchmarks, which run on request");
		diag_hint(d, "run it with --test or --bench");
	} else {
		diag_error(d, p->probes[0]->points[0].span, "no-tests",
			   "this script has no %s to run", run == RUN_TESTS ? "test" : "bench");
		diag_hint(d, "write %s:NAME { … }", run == RUN_TESTS ? "test" : "bench");
	}
}

uint32_t plan_count_probes(const struct plan *p)
{
	uint32_t n = p->n_probes;

	for (uint32_t i = 0; i < p->n_progs; i++)
		if (p->progs[i].n_probes && plan_n_targets(&p->progs[i]) > 1)
			n += p->progs[i].n_targets - 1;
	return n;
}

void plan_check_limits(const struct plan *plan, struct diags *d)
{
	uint32_t n_probes = plan_count_probes(plan);
	uint64_t most = plan->config.max_probes;

	if (most && n_probes > most) {
		diag_error(d, plan->probes[0].span, "max-probes",
			   "this script probes %u functions and events, and max_probes is %llu",
			   n_probes, (unsigned long long)most);
		diag_hint(d, "config = { max_probes = %u }", n_probes);
	}
	if (plan->n_progs > plan->config.max_bpf_progs) {
		diag_error(d, plan->probes[0].span, "max-bpf-progs",
			   "this script has %u programs, and max_bpf_progs is %llu", plan->n_progs,
			   (unsigned long long)plan->config.max_bpf_progs);
		diag_hint(d, "config = { max_bpf_progs = %u }", plan->n_progs);
	}
}
