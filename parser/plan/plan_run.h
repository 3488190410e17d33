/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probes a run has.
 */
#pragma once
#include "parser/plan/plan.h"

struct probe;

/* True when a run with these options has this attach point of `p`. */
bool plan_runs(const struct plan_options *options, const struct probe *p,
	       const struct attach_point *point);
/* Report a script without any probe for this run. */
void plan_check_run(const struct program *p, const struct plan *plan,
		    const struct plan_options *options, struct diags *d);
/* Report a script that exceeds its own max_probes or max_bpf_progs. */
void plan_check_limits(const struct plan *plan, struct diags *d);
