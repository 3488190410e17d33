/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l of a script: what it would attach to, one line for each function or event, after NAME= where
 * the script names it. BEGIN and END are left out: they are not events of the system.
 */
#include "cli/scripts/scripts.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"
#include "parser/lang/probe.h"
#include "runtime/list/list.h"
#include <sys/stat.h>

bool list_names_script(const struct script_args *o)
{
	struct stat st;

	if (o->program)
		return true;
	return o->file && stat(o->file, &st) == 0 && !S_ISDIR(st.st_mode);
}

int list_script(struct kernel *k, const struct program *p, bool fields, FILE *out)
{
	struct listing *l = list_open(k);

	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t j = 0; j < p->probes[i]->n_points; j++) {
			const struct attach_point *point = &p->probes[i]->points[j];

			if (!(probe_rows[point->id].traits & PR_EVERY_RUN))
				list_take(l, point);
		}
	list_print(l, fields, out);
	list_close(l);
	return 0;
}
