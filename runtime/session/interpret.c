/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs programs in the interpreter, and says why one was ended.
 */
#include "runtime/session/interpret.h"
#include "runtime/base/clock.h"
#include "runtime/session/session.h"

int interpret_open(struct session *s, const void *elf, size_t len)
{
	s->interp = interp_open(s->object, elf, len);
	if (s->interp)
		return 0;
	log_error("the interpreter cannot read the compiled program: %s", strerror(errno));
	return -errno;
}

static const char *name_of(const struct session *s, const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_TEST) ? g->test
	       : g->n_probes		      ? s->plan->probes[g->probes[0]].name
					      : g->section;
}

static void report(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	struct interp_fault f = interp_fault(s->interp);

	log_error("probe '%s': %s%s", name_of(s, g), f.text ? f.text : "it failed",
		  s->source ? "" : ": run it as root");
	if (f.line)
		log_text("  at %s:%u:%u", s->plan->source->name, f.line, f.column);
}

int interpret_run(const struct session *s, uint32_t prog, uint32_t *result)
{
	int err = interp_run(s->interp, s->plan->progs[prog].symbol, result);

	if (err)
		report(s, prog);
	return err;
}

int interpret_repeat(const struct session *s, uint32_t prog, uint32_t times, uint32_t *result,
		     uint64_t *ns)
{
	uint64_t begin = monotonic_ns();
	int err = 0;

	for (uint32_t i = 0; i < times && !err; i++)
		err = interpret_run(s, prog, result);
	*ns = (monotonic_ns() - begin) / times;
	return err;
}
