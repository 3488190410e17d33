/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probes a run has: tests and benchmarks have runs of their own.
 */
#include "parser/plan/plan_run.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"

bool plan_runs(enum plan_run run, enum probe_id id)
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

void plan_check_run(const struct program *p, const struct plan *plan, enum plan_run run,
		    struct diags *d)
{
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
