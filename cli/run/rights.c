/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this process trace? Without rights, a script that waits for events of the kernel ends with
 * one message, before it is checked: what could be said of its probes would only repeat that.
 */
#include "cli/run/run.h"
#include "parser/lang/ast.h"
#include "runtime/base/log.h"
#include "runtime/kernel/caps.h"
#include "runtime/kernel/in_container.h"
#include "runtime/run/kernel_needed.h"
#include "runtime/session/event_source.h"

bool rights_are_interpreted(const struct options *o)
{
	return o->interpret || (o->mode == MODE_TRACE && !o->compile.emit && caps_missing());
}

static int refuse(void)
{
	in_container_warn();
	caps_check();
	return 2;
}

int rights_check_program(const struct options *o, const struct program *p)
{
	if (o->interpret || !rights_are_interpreted(o) || o->test || o->bench)
		return 0;
	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t k = 0; k < p->probes[i]->n_texts; k++)
			if (probe_text_is_of_kernel(p->probes[i]->texts[k].text))
				return refuse();
	return 0;
}

/* What of the run only a kernel can do; NULL: nothing. */
static const char *beyond_interpreter(const struct options *o, const struct plan *plan,
				      const struct plan_probe **probe)
{
	const char *what = kernel_needed(plan, NULL, probe);

	if (!what && (scope_has_program(&o->scope) || o->scope.cgroup))
		return "a process to trace";
	return !what && (o->stats || o->max_overhead) ? "the cost of probes" : what;
}

int rights_check_plan(const struct options *o, const struct plan *plan)
{
	const struct plan_probe *probe;
	const char *what, *missing = o->interpret ? NULL : caps_missing();

	if (!rights_are_interpreted(o))
		return 0;
	if (o->record.source)
		return o->record.source->check(o->record.source, plan);
	what = beyond_interpreter(o, plan, &probe);
	if (!what && missing)
		log_info("without %s, the interpreter runs the script, not the kernel", missing);
	if (!what)
		return 0;
	if (missing)
		return refuse();
	log_error("%s%s%s%s requires %s, which only a kernel has",
		  o->interpret ? "--interpret: " : "", probe ? "probe '" : "the script",
		  probe ? probe->name : "", probe ? "'" : "", what);
	return 1;
}
