/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probes a run has.
 */
#pragma once
#include "parser/plan/plan.h"

/* True when such a run has probes of this type. */
bool plan_runs(enum plan_run run, enum probe_id id);
/* Report a script without any probe for this run. */
void plan_check_run(const struct program *p, const struct plan *plan, enum plan_run run,
		    struct diags *d);
