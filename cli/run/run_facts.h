/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a run before it begins, for a recording of it.
 */
#pragma once
#include "cli/options/options.h"
#include "runtime/output/out.h"
#include <sys/utsname.h>

struct run_facts {
	struct view_run run; /* strings are in this struct, or outlive it */
	struct utsname system;
	char *arguments;
};

void run_facts_make(struct run_facts *f, const struct options *o, const struct plan *plan);
void run_facts_free(struct run_facts *f);
