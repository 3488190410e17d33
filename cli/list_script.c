/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a script would attach to, an attach point a line, as -l writes them. BEGIN and END are no
 * events of the system and are left out.
 */
#include "list_script.h"
#include "options.h"
#include "parser/ast.h"
#include "parser/kernel.h"
#include "parser/probe.h"
#include <sys/stat.h>

bool list_names_script(const struct options *o)
{
	struct stat st;

	if (o->program)
		return true;
	return o->file && stat(o->file, &st) == 0 && !S_ISDIR(st.st_mode);
}

static void list_point(const struct attach_point *p, bool fields, FILE *out)
{
	const struct tp_format *f = p->format;

	if (p->id == PROBE_BEGIN || p->id == PROBE_END)
		return;
	fprintf(out, "%s\n", p->name);
	for (uint32_t i = 0; fields && f && i < f->n_fields; i++)
		fprintf(out, "    %s %s\n", f->fields[i].type_text, f->fields[i].name);
}

void list_script(const struct program *p, bool fields, FILE *out)
{
	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t j = 0; j < p->probes[i]->n_points; j++)
			list_point(&p->probes[i]->points[j], fields, out);
}
