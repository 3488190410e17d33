/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of USDT probes: usdt:PATH:PROVIDER:NAME. Each part may be a pattern; a pattern in
 * PATH matches files, or the files that processes run. Each location of a probe in a file is a
 * target. The arguments at the locations are read when a script uses one (sema_usdt.c).
 */
#include "parser/base/nearest.h"
#include "parser/attach/probe_parse.h"
#include "parser/base/find.h"

struct usdt_match {
	const struct probe_reader *r;
	struct attach_point *p;
	const char *path; /* as written, may be a pattern; NULL: all mapped files */
	const char *provider, *name;
	const char *word;	/* the requested name without its wildcards */
	struct nearest nearest; /* among "PROVIDER:NAME", or names if there is no provider */
	const char *near;	/* its PROVIDER:NAME */
	const char *near_path;	/* its file */
	const char *found_path; /* the resolved file */
	uint32_t n_offered, n_files, n_mapped;
	bool is_mixed; /* more than one probe matches */
};

static const char *keep(const struct usdt_match *m, const char *text)
{
	return arena_strdup(m->r->arena, text);
}

static bool any_provider(const struct usdt_match *m)
{
	return strcmp(m->provider, "*") == 0;
}

static void note_nearest(struct usdt_match *m, const struct usdt_note *note)
{
	const char *full = arena_printf(m->r->arena, "%s:%s", note->provider, note->name);

	m->n_offered++;
	if (nearest_offer(&m->nearest, any_provider(m) ? strchr(full, ':') + 1 : full)) {
		m->near = full;
		m->near_path = keep(m, note->path);
	}
}

static void offer_note(const struct usdt_note *note, void *ctx)
{
	struct usdt_match *m = ctx;
	struct attach_point *p = m->p;
	struct attach_target t = {.offset = note->offset,
				  .address = note->address,
				  .ref_ctr = note->semaphore};
	const struct attach_target *last = p->n_targets ? &p->targets[p->n_targets - 1] : NULL;

	if (!m->found_path || strcmp(m->found_path, note->path) != 0)
		m->found_path = keep(m, note->path);
	if (!p->n_targets)
		note_nearest(m, note);
	if (!pattern_matches(m->provider, note->provider) || !pattern_matches(m->name, note->name))
		return;
	t.path = last && strcmp(last->path, note->path) == 0 ? last->path : m->found_path;
	t.symbol = keep(m, note->name);
	t.args = keep(m, note->args);
	t.name = arena_printf(m->r->arena, "%s:%s:%s:%s", probe_rows[p->id].name, t.path,
			      note->provider, note->name);
	m->is_mixed |= last && strcmp(last->name, t.name) != 0;
	arena_push(m->r->arena, p->targets, p->n_targets, t);
}

/* Files that are gone or are not ELF files are skipped: a process may have anything mapped. */
static void offer_file(const char *path, void *ctx)
{
	struct usdt_match *m = ctx;
	struct kernel *k = m->r->kernel;

	m->n_mapped++;
	if (m->path && !pattern_matches(m->path, path))
		return;
	m->n_files++;
	k->each_usdt(k, path, offer_note, m);
}

static void offer_found(const char *path, void *ctx)
{
	struct usdt_match *m = ctx;

	m->n_files++;
	m->r->kernel->each_usdt(m->r->kernel, path, offer_note, m);
}

COMPARE(by_place, struct attach_target, probe_by_place(a, b) ?: strcmp(a->name, b->name))

/* ---- what was not found ------------------------------------------------------------------ */

static const char *whose(const struct usdt_match *m)
{
	uint32_t pid = m->r->kernel->scope->pid;

	return pid ? arena_printf(m->r->arena, "process %u", pid) : "any process";
}

static const char *requested(const struct usdt_match *m)
{
	return any_provider(m) ? m->name : arena_printf(m->r->arena, "%s:%s", m->provider, m->name);
}

static bool is_mapped(const struct usdt_match *m)
{
	return !m->path || pattern_is(m->path);
}

static bool is_any_file(const struct usdt_match *m)
{
	return !m->path || strcmp(m->path, "*") == 0;
}

static const char *subject(const struct usdt_match *m)
{
	if (!is_mapped(m))
		return m->path;
	if (is_any_file(m))
		return arena_printf(m->r->arena, "no file that %s runs", whose(m));
	return arena_printf(m->r->arena, "no file that matches '%s'", m->path);
}

static int no_note(const struct usdt_match *m)
{
	struct diags *d = m->r->diags;
	struct span span = m->p->span;

	if (is_mapped(m) && !m->n_files) {
		diag_error(d, span, "no-usdt", "no file%s that %s runs matches '%s'",
			   is_any_file(m) ? "" : " and none", whose(m), m->path);
		return diag_hint(d, "write the file: usdt:PATH:%s", requested(m));
	}
	if (!m->n_offered) {
		diag_error(d, span, "no-usdt", "%s has %s USDT probes", subject(m),
			   is_mapped(m) ? "any" : "no");
		return diag_hint(
			d, "they are compiled in with <sys/sdt.h>; uprobe:PATH:FUNCTION fires at "
			   "functions");
	}
	diag_error(d, span, "unknown-usdt", "%s has %s USDT probe '%s'", subject(m),
		   is_mapped(m) ? "a" : "no", requested(m));
	if (m->near)
		return diag_hint(d, "did you mean %s:%s:%s?", probe_rows[m->p->id].name,
				 m->near_path, m->near);
	return diag_hint(d, "'sonde -l \"usdt:%s:*\"' lists them", m->path ? m->path : "*");
}

static int no_process(const struct usdt_match *m)
{
	diag_error(m->r->diags, m->p->span, "usdt-path", "the USDT probe '%s' needs a file",
		   requested(m));
	return diag_hint(m->r->diags,
			 "write usdt:PATH:%s, usdt:*:%s for every running program, or choose a "
			 "process with -p",
			 requested(m), requested(m));
}

/* ---- the parts --------------------------------------------------------------------------- */

static int match_files(struct usdt_match *m)
{
	struct kernel *k = m->r->kernel;
	int err;

	if (!m->path && !k->scope->pid)
		m->path = k->scope->program;
	if (!m->path && !k->scope->pid)
		return no_process(m);
	if (!is_any_file(m) && is_mapped(m) && k->each_user_file)
		k->each_user_file(k, m->path, offer_found, m);
	if (is_mapped(m))
		err = k->each_mapped_file(k, offer_file, m);
	else
		err = k->each_usdt(k, m->path, offer_note, m);
	if (err && !is_mapped(m)) {
		return diag_error(m->r->diags, m->p->span, "no-binary", "cannot probe '%s': %s",
				  m->path,
				  err == -ENOEXEC ? "not an ELF program or library"
						  : strerror(-err));
	}
	if (is_mapped(m) && (err || (k->scope->pid && !m->n_mapped)))
		return probe_no_mapped_file(m->r, m->p, err);
	return m->p->n_targets ? 0 : no_note(m);
}

/* With -p or -c, the first part of PROVIDER:NAME is not a file. */
static bool is_file(const struct probe_reader *r, const char *path)
{
	struct usdt_match none = {.r = r,
				  .p = &(struct attach_point){.id = PROBE_USDT},
				  .provider = "",
				  .name = ""};

	if (!scope_has_program(r->kernel->scope) || strchr(path, '/') || pattern_is(path))
		return true;
	nearest_init(&none.nearest, "");
	return r->kernel->each_usdt(r->kernel, path, offer_note, &none) != -ENOENT;
}

/* "PATH::NAME", without a provider, is not divided: "::" is part of names of C++ elsewhere. */
static uint32_t divide_empty(char **parts, uint32_t n)
{
	char *colons = strstr(parts[n - 1], "::");

	if (n != 1 || !colons)
		return n;
	*colons = '\0';
	parts[1] = "";
	parts[2] = colons + 2;
	return 3;
}

static bool read_parts(struct usdt_match *m, char **parts, uint32_t n)
{
	if (n < 1)
		return false;
	n = divide_empty(parts, n);
	if (n > 3 || !*parts[n - 1])
		return false;
	m->name = keep(m, parts[n - 1]);
	m->provider = n == 3 && *parts[1] ? keep(m, parts[1]) : "*";
	m->path = n > 1 && *parts[0] ? keep(m, parts[0]) : NULL;
	if (n == 2 && m->path && !is_file(m->r, m->path)) {
		m->provider = m->path;
		m->path = NULL;
	}
	m->word = pattern_letters(m->r->arena, requested(m));
	return true;
}

static int resolve(struct usdt_match *m)
{
	const struct probe_reader *r = m->r;
	struct attach_point *p = m->p;

	nearest_init(&m->nearest, m->word);
	if (match_files(m))
		return -1;
	p->is_listed = r->lists;
	if (probe_check_number(r, p, requested(m), "locations"))
		return -1;
	/* a linker may emit a note twice */
	probe_each_once(p->targets, &p->n_targets, by_place, by_place);
	p->function = p->targets[0].symbol;
	p->name = p->targets[0].name;
	if (!m->is_mixed)
		return 0;
	p->function = m->word[0] ? m->word : probe_rows[p->id].name;
	p->name = arena_printf(r->arena, "%s:%s:%s:%s", probe_rows[p->id].name,
			       is_mapped(m) ? m->path ? m->path : "*" : m->found_path, m->provider,
			       m->name);
	p->pattern = p->name;
	return 0;
}

int prs_usdt(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	struct usdt_match m = {.r = r, .p = p};
	const char *written;

	if (!probe_has_uprobes(r, p))
		return -1;
	if (!read_parts(&m, parts, n))
		return probe_wrong_form(r, p);
	written = m.path;
	if (resolve(&m))
		return -1;
	if (written)
		probe_show_path(r->arena, p, written);
	return 0;
}
