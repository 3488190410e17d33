/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See run.h. A file counts as mapped if the process has mapped one with its name: paths
 * differ between mount namespaces.
 */
#include "cli/run/run.h"
#include "parser/base/text.h"
#include "parser/lang/ast.h"
#include "runtime/base/log.h"
#include "runtime/base/proc_maps.h"
#include <linux/perf_event.h>

static int is_of_name(const struct proc_mapping *m, void *name)
{
	return strcmp(text_base_name(m->path), name) == 0;
}

static void warn_of_file(uint32_t pid, const struct attach_target *t)
{
	const char *base = text_base_name(t->path);

	if (proc_maps_each(pid, is_of_name, (void *)base) == 0)
		log_warning("process %u %s %s (checked at the start)", pid,
			    strstr(base, ".so") ? "has not loaded" : "does not run",
			    target_path(t));
}

/* Of the point's first file; `last` is the one before, which has been looked at. */
static const char *warn_of_point(const struct options *o, const struct attach_point *p,
				 const char *last)
{
	if (point_has(p, ARM_PERF) && point_perf(p)->event.type == PERF_TYPE_BREAKPOINT &&
	    !point_perf(p)->event.path && !scope_has_program(&o->scope) &&
	    !(point_perf(p)->event.address >> 63))
		log_warning("%s: the address is one of a process: add -p PID or -c COMMAND",
			    p->name);
	if (!o->scope.pid || o->scope.follow || o->scope.system || !p->n_targets ||
	    !p->targets[0].path || (last && strcmp(last, p->targets[0].path) == 0))
		return last;
	warn_of_file(o->scope.pid, &p->targets[0]);
	return p->targets[0].path;
}

void scope_warn(const struct options *o, const struct program *p)
{
	const char *last = NULL;

	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t k = 0; k < p->probes[i]->n_points; k++)
			last = warn_of_point(o, &p->probes[i]->points[k], last);
}
