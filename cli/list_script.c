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
#include "runtime/list.h"
#include <sys/stat.h>

bool list_names_script(const struct options *o)
{
	struct stat st;

	if (o->program)
		return true;
	return o->file && stat(o->file, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Of one function; several differ. */
static const struct typed_function *typed_of(struct kernel *k, const struct attach_point *p)
{
	const struct typed_function *f = NULL;
	bool is_user = p->id == PROBE_UPROBE || p->id == PROBE_URETPROBE;
	const struct attach_target *t = p->is_at_returns ? p->entries : p->targets;
	uint32_t n = p->is_at_returns ? p->n_entries : p->n_targets;

	if (!is_user)
		return p->typed;
	if (n != 1 || !t->is_entry || !k->user_typed || k->user_typed(k, t->path, t->offset, &f))
		return NULL;
	return f;
}

static void list_typed(const struct attach_point *p, const struct typed_function *f, FILE *out)
{
	bool is_return = p->id == PROBE_FEXIT || p->id == PROBE_URETPROBE;

	for (uint32_t i = 0; i < f->n_params; i++)
		list_field(&f->params[i], f->params[i].name, out);
	if (is_return)
		list_field(&f->result, f->result.size ? "retval" : "", out);
}

static void list_point(struct kernel *k, const struct attach_point *p, bool fields, FILE *out)
{
	const struct typed_function *typed = fields ? typed_of(k, p) : NULL;
	const struct tp_format *f = p->format;

	if (p->id == PROBE_BEGIN || p->id == PROBE_END)
		return;
	fprintf(out, "%s\n", p->name);
	for (uint32_t i = 0; fields && f && i < f->n_fields; i++)
		list_field(&f->fields[i], f->fields[i].name, out);
	if (typed)
		list_typed(p, typed, out);
}

void list_script(struct kernel *k, const struct program *p, bool fields, FILE *out)
{
	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t j = 0; j < p->probes[i]->n_points; j++)
			list_point(k, &p->probes[i]->points[j], fields, out);
}
