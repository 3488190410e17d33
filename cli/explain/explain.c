/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde explain`, see explain.h: selects the stages, runs them, writes the result.
 */
#include "cli/explain/explain.h"
#include "cli/options/options.h"
#include "cli/base/output_file.h"
#include "parser/base/arena.h"
#include "parser/plan/plan.h"

static int (*const hooks[EXPLAIN_STAGE_COUNT])(struct explain *x, struct script_lines *t) = {
#define STAGE(id, word, hook, ...) ex_##hook,
#include "cli/options/explain_stages.def"
#undef STAGE
};

static int collect(struct explain *x)
{
	int status = 0;

	explain_find_parts(x);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++) {
		x->texts[i].arena = x->arena;
		x->texts[i].parts = &x->parts;
		if (!status && explain_has(x, i))
			status = hooks[i](x, &x->texts[i]);
	}
	return status;
}

static void begin(struct explain *x, struct arena *a, const struct options *o,
		  const struct program *program, const struct plan *plan, struct kernel *k)
{
	*x = (struct explain){.arena = a,
			      .options = o,
			      .program = program,
			      .plan = plan,
			      .kernel = k,
			      .stages = o->compile.stages ? o->compile.stages
							  : (1u << EXPLAIN_STAGE_COUNT) - 1};
}

static void end(struct explain *x)
{
	explain_unload(x);
	vec_free(&x->parts.items);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		vec_free(&x->texts[i].lines);
}

int explain_run(struct arena *a, const struct options *o, const struct program *program,
		const struct plan *plan, struct kernel *k)
{
	struct explain x;
	int status;
	FILE *f;

	begin(&x, a, o, program, plan, k);
	status = collect(&x);
	f = status ? NULL : output_open(o->out.path);
	if (f) {
		if (o->compile.is_page)
			explain_write_page(&x, f);
		else
			explain_write_text(&x, f);
		status = output_close(o->out.path, f) ?: x.has_failed ? 2 : 0;
	} else if (!status) {
		status = 2;
	}
	end(&x);
	return status;
}

int explain_before_run(struct arena *a, const struct options *o, const struct program *program,
		       const struct plan *plan, struct kernel *k)
{
	struct explain x;
	int status;

	begin(&x, a, o, program, plan, k);
	/* the cost is measured by the run itself: --stats */
	x.stages &= ~(1u << EXPLAIN_COST);
	status = collect(&x);
	if (!status)
		explain_write_text(&x, stderr);
	end(&x);
	return status;
}
