/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct kernel for the unit tests: facts, and switches for errors and missing capabilities. Also
 * the steps from a script's text to its plan.
 */
#pragma once
#include "parser/base/diag.h"
#include "parser/lang/kernel.h"
#include "parser/plan/plan.h"
#include "runtime/kernel/facts_impl.h"

struct arena;
struct attach_point;
struct program;

struct fake_kernel {
	union { /* first: a struct kernel * is a struct facts * and a struct fake_kernel * */
		struct kernel k;
		struct facts facts;
	};
	int tracepoint_err, symbol_err, function_err; /* if not 0, returned by those hooks */
	bool has_no_btf, has_no_kprobes, has_no_uprobes;
	uint32_t n_cpus;
};

void fake_kernel_init(struct fake_kernel *f);

/* A script and what was made of it. All but the kernel is in the arena. */
struct world {
	struct fake_kernel kernel;
	struct arena *arena;
	struct diags diags;
	struct program *program;
	struct plan *plan;
	bool unsafe; /* --unsafe */
};

/* Prepare `w` without a script: a test may change w->kernel first. */
void world_init(struct world *w);
/* Parse and check `text`; the number of errors. */
uint32_t world_check(struct world *w, const char *text);
/* Resolve one attach point. 0 or -1. */
int world_resolve(struct world *w, const char *text, struct attach_point *out);
/* Parse, check and plan `text`, which must be free of errors up to there. NULL: a limit was hit. */
struct plan *world_plan(struct world *w, const char *text, const struct plan_options *options);
void world_free(struct world *w);
