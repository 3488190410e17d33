/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a script would attach to, a function or event a line, as -l writes them; behind NAME= when
 * the script names it. BEGIN and END are no events of the system and are left out.
 */
#include "cli/list_script.h"
#include "cli/options.h"
#include "parser/base/arena.h"
#include "parser/base/pattern.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"
#include "parser/lang/probe.h"
#include "runtime/list/list.h"
#include <string.h>
#include <sys/stat.h>

bool list_names_script(const struct options *o)
{
	struct stat st;

	if (o->program)
		return true;
	return o->file && stat(o->file, &st) == 0 && !S_ISDIR(st.st_mode);
}

struct script_listing {
	struct kernel *kernel;
	struct listing *lines; /* what is below a line */
	bool fields;
	const char *last; /* the line before: a function may have several places */
	struct arena *arena;
	FILE *out;
};

static void list_typed(const struct attach_point *p, FILE *out)
{
	const struct typed_function *f = p->typed;

	for (uint32_t i = 0; i < f->n_params; i++)
		list_field(&f->params[i], f->params[i].name, out);
	if (p->id == PROBE_FEXIT)
		list_field(&f->result, f->result.size ? "retval" : "", out);
}

/* What the checks already know, then what listings look up by the line. */
static void list_fields(struct script_listing *s, const struct attach_point *p, const char *line,
			uint64_t offset)
{
	for (uint32_t i = 0; p->format && i < p->format->n_fields; i++)
		list_field(&p->format->fields[i], p->format->fields[i].name, s->out);
	if (probe_is_typed(p) && p->typed)
		list_typed(p, s->out);
	else if (!p->format)
		list_below(s->lines, line, offset, s->out);
}

static void list_line(struct script_listing *s, const struct attach_point *p, const char *line,
		      uint64_t offset)
{
	if (s->last && strcmp(s->last, line) == 0)
		return;
	s->last = line;
	fprintf(s->out, "%s%s%s\n", p->is_named ? p->name : "", p->is_named ? "=" : "", line);
	if (s->fields)
		list_fields(s, p, line, offset);
}

/* As patterns have them, with the quotes that names of C++ want. */
static const char *target_line(const struct script_listing *s, const struct attach_point *p,
			       const struct attach_target *t)
{
	const char *type = probe_rows[p->id].name;

	if (t->name)
		return t->name;
	if (t->path && t->symbol && strcmp(t->function, t->symbol) != 0)
		return arena_printf(s->arena, "%s:%s:cpp:\"%s\"", type, t->path, t->function);
	if (t->path)
		return arena_printf(s->arena, "%s:%s:%s", type, t->path, t->function);
	return arena_printf(s->arena, "%s:%s%s%s", type, t->module ? t->module : "",
			    t->module ? ":" : "", t->function);
}

/* A name of C++, whose blanks and commas want quotes; not an address, whose function it is. */
static bool wants_quotes(const struct attach_point *p, const struct attach_target *t)
{
	const char *name = p->is_named ? p->resolved : p->name;

	return t->path && t->symbol && strcmp(t->symbol, t->function) != 0 &&
	       strstr(name, t->function);
}

/* Are the lines those of the targets? Places within functions have none. */
static bool has_lines(const struct attach_point *p, const struct attach_target *t, uint32_t n)
{
	bool is_user = p->id == PROBE_UPROBE || p->id == PROBE_URETPROBE;

	if (!n || !(t->name || t->function) || (is_user && !t->is_entry))
		return false;
	return n > 1 || (p->function && pattern_is(p->function)) || (is_user && wants_quotes(p, t));
}

static void list_point(struct script_listing *s, const struct attach_point *p)
{
	const struct attach_target *t = p->is_at_returns ? p->entries : p->targets;
	uint32_t n = p->is_at_returns ? p->n_entries : p->n_targets;

	s->last = NULL;
	if (p->id == PROBE_BEGIN || p->id == PROBE_END)
		return;
	if (!has_lines(p, t, n))
		return list_line(s, p, p->is_named ? p->resolved : p->name, n ? t->offset : 0);
	for (uint32_t i = 0; i < n; i++)
		list_line(s, p, target_line(s, p, &t[i]), t[i].offset);
}

int list_script(struct kernel *k, const struct program *p, bool fields, FILE *out)
{
	struct script_listing s = {.kernel = k, .fields = fields, .out = out};

	s.lines = list_open(k);
	if (!s.lines)
		return 2;
	s.arena = arena_new();
	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t j = 0; j < p->probes[i]->n_points; j++)
			list_point(&s, &p->probes[i]->points[j]);
	arena_free(s.arena);
	list_close(s.lines);
	return 0;
}
