/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l. By probe type, one lst_* function each: names come from kernel.h (tracefs, a file's symbol
 * table) or from tracefs itself (kernel functions), and are matched as whole attach points. Types
 * without one have no names to list: their form is shown.
 */
#define _GNU_SOURCE
#include "list.h"
#include "../parser/probe.h"
#include "../parser/probe_perf.h"
#include "kernel_facts.h"
#include "log.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct listing {
	struct kernel *kernel;
	const char *pattern;	     /* NULL: all */
	const struct probe_row *row; /* the type under way */
	const char *path;	     /* ... and file */
	char **names;
	size_t n, capacity;
	bool is_said;
	int error; /* -errno: out of memory, or the kernel does not tell */
};

typedef void lst_fn(struct listing *l, const char *rest);

static void keep(struct listing *l, char *name)
{
	if (l->n == l->capacity) {
		size_t capacity = l->capacity ? 2 * l->capacity : 1024;
		char **grown = reallocarray(l->names, capacity, sizeof(*grown));

		if (!grown) {
			l->error = -ENOMEM;
			free(name);
			return;
		}
		l->names = grown;
		l->capacity = capacity;
	}
	l->names[l->n++] = name;
}

static void offer(const char *name, void *ctx)
{
	struct listing *l = ctx;
	char *full = NULL;

	if (asprintf(&full, "%s:%s%s%s", l->row->name, l->path ? l->path : "", l->path ? ":" : "",
		     name) < 0)
		l->error = -ENOMEM;
	else if (!l->pattern || fnmatch(l->pattern, full, 0) == 0)
		keep(l, full);
	else
		free(full);
}

static void lst_tracepoints(struct listing *l, const char *rest)
{
	int err;

	(void)rest;
	err = l->kernel->each_tracepoint(l->kernel, NULL, offer, l);
	if (err)
		l->error = err;
}

static void offer_symbol(const struct user_symbol *f, void *ctx)
{
	offer(f->symbol, ctx);
}

/* "name [module]" */
static void offer_function(const char *name, void *ctx)
{
	char *word = strndup(name, strcspn(name, " "));

	if (word)
		offer(word, ctx);
	free(word);
}

/* The file's name is read up to the last ':' of the pattern. */
static void lst_symbols(struct listing *l, const char *rest)
{
	const char *colon = rest ? strrchr(rest, ':') : NULL;
	char *path;
	int err;

	if (rest && !*rest) /* of which file? */
		keep(l, strdup(l->row->form));
	if (!rest || !*rest || strpbrk(rest, "*?") == rest)
		return;
	path = colon ? strndup(rest, (size_t)(colon - rest)) : strdup(rest);
	if (!path)
		return;
	l->path = path;
	err = l->kernel->each_user_function(l->kernel, path, offer_symbol, l);
	if (err) {
		log_error("cannot list functions of '%s': %s", path,
			  err == -ENOEXEC ? "not an ELF program or library" : strerror(-err));
		l->error = err;
		l->is_said = true;
	}
	l->path = NULL;
	free(path);
}

/* Kernels without the function tracer do not tell; then there is nothing to list. */
static void lst_functions(struct listing *l, const char *rest)
{
	(void)rest;
	l->kernel->each_kernel_function(l->kernel, offer_function, l);
}

/* As they are written without a number: "software:cs:". */
static void lst_events(struct listing *l, const char *rest)
{
	char name[64];

	(void)rest;
	for (uint32_t i = 0; i < n_perf_event_rows; i++) {
		const struct perf_event_row *e = &perf_event_rows[i];

		if (&probe_rows[e->id] != l->row)
			continue;
		snprintf(name, sizeof(name), "%s:", e->name);
		offer(name, l);
		snprintf(name, sizeof(name), "%s:", e->alias ? e->alias : "");
		if (e->alias)
			offer(name, l);
	}
}

static void lst_iterators(struct listing *l, const char *rest)
{
	(void)rest;
	l->kernel->each_iterator(l->kernel, offer, l);
}

static void offer_note(const struct usdt_note *note, void *ctx)
{
	char *name = NULL;

	if (asprintf(&name, "%s:%s", note->provider, note->name) < 0)
		return;
	offer(name, ctx);
	free(name);
}

static void offer_mapped(const char *path, void *ctx)
{
	struct listing *l = ctx;

	l->path = path;
	l->kernel->each_usdt(l->kernel, path, offer_note, l);
	l->path = NULL;
}

/* Of the file up to the first ':'; with '*' for it, or with -p and none, of all that is mapped. A
 * name behind it is one of any provider. */
static void lst_usdt(struct listing *l, const char *rest)
{
	const char *colon = rest ? strchr(rest, ':') : NULL, *whole = l->pattern;
	size_t len = rest ? strcspn(rest, ":") : 0;
	char *path = rest ? strndup(rest, len) : NULL, *of_any = NULL;
	int err;

	if (path && colon && !strchr(colon + 1, ':') &&
	    asprintf(&of_any, "%s:%s:*:%s", l->row->name, path, colon + 1) > 0)
		l->pattern = of_any;
	if (path && *path && !strpbrk(path, "*?")) {
		l->path = path;
		err = l->kernel->each_usdt(l->kernel, path, offer_note, l);
		l->path = NULL;
		if (err)
			log_error("cannot list USDT probes of '%s': %s", path,
				  err == -ENOEXEC ? "not an ELF program or library" : strerror(-err));
		l->error = err;
		l->is_said = err != 0;
	} else if ((path && *path) || (rest && l->kernel->pid)) {
		l->kernel->each_mapped_file(l->kernel, offer_mapped, l);
	} else if (rest) {
		keep(l, strdup(l->row->form));
	}
	l->pattern = whole;
	free(of_any);
	free(path);
}

static lst_fn *const listers[PROBE_COUNT] = {
	[PROBE_ITER] = lst_iterators,
	[PROBE_SOFTWARE] = lst_events,	      [PROBE_HARDWARE] = lst_events,
	[PROBE_TRACEPOINT] = lst_tracepoints, [PROBE_KPROBE] = lst_functions,
	[PROBE_KRETPROBE] = lst_functions,    [PROBE_UPROBE] = lst_symbols,
	[PROBE_URETPROBE] = lst_symbols,      [PROBE_USDT] = lst_usdt,
};

/* ---- patterns ------------------------------------------------------------------------------ */

/* The pattern begins with this type's name or alias: what follows the ':' or the end; else NULL. */
static const char *after_type(const struct probe_row *r, const char *pattern)
{
	size_t n = strcspn(pattern, ":");

	if ((strlen(r->name) == n && strncasecmp(r->name, pattern, n) == 0) ||
	    probe_has_alias(r, pattern, n))
		return pattern[n] ? pattern + n + 1 : pattern + n;
	return NULL;
}

static bool names_a_type(const char *pattern)
{
	for (uint32_t i = 0; pattern && i < PROBE_COUNT; i++)
		if (after_type(&probe_rows[i], pattern))
			return true;
	return false;
}

/* What whole attach points of a type are matched with; to be freed. */
static char *pattern_for(const struct probe_row *r, enum probe_id id, const char *rest)
{
	bool has_two_parts = listers[id] == lst_symbols || listers[id] == lst_tracepoints;
	char *full = NULL;
	int n;

	if (!*rest || (has_two_parts && !strrchr(rest, ':')))
		n = asprintf(&full, "%s:%s%s*", r->name, rest, *rest ? ":" : "");
	else
		n = asprintf(&full, "%s:%s", r->name, rest);
	return n < 0 ? NULL : full;
}

static void list_type(struct listing *l, enum probe_id id, const char *rest, const char *pattern)
{
	l->row = &probe_rows[id];
	l->pattern = pattern;
	if (listers[id])
		listers[id](l, rest);
	else if (!pattern || rest || fnmatch(pattern, l->row->form, FNM_CASEFOLD) == 0)
		keep(l, strdup(l->row->form));
}

/* A word that is no type: a part of the name; with * or ? it must match from end to end. */
static void list_any(struct listing *l, const char *word)
{
	char *pattern = NULL;

	if (word && strpbrk(word, "*?"))
		pattern = strdup(word);
	else if (word && asprintf(&pattern, "*%s*", word) < 0)
		pattern = NULL;
	if (word && !pattern)
		l->error = -ENOMEM;
	for (uint32_t i = 0; i < PROBE_COUNT && !l->error; i++)
		list_type(l, (enum probe_id)i, NULL, pattern);
	free(pattern);
}

static void list_by_type(struct listing *l, const char *word)
{
	for (uint32_t i = 0; i < PROBE_COUNT && !l->error; i++) {
		const char *rest = after_type(&probe_rows[i], word);
		char *pattern = rest ? pattern_for(&probe_rows[i], (enum probe_id)i, rest) : NULL;

		if (rest && !pattern)
			l->error = -ENOMEM;
		if (pattern)
			list_type(l, (enum probe_id)i, rest, pattern);
		free(pattern);
	}
}

/* ---- output -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those of "tracepoint:CATEGORY:EVENT". */
static void print_fields(struct listing *l, char *name, FILE *out)
{
	char *category = strchr(name, ':'), *event = category ? strchr(category + 1, ':') : NULL;
	const struct tp_format *f;

	if (!event ||
	    strncmp(name, probe_rows[PROBE_TRACEPOINT].name, (size_t)(category - name)) != 0)
		return;
	*event = '\0';
	if (l->kernel->tracepoint(l->kernel, category + 1, event + 1, &f))
		f = NULL;
	*event = ':';
	for (uint32_t i = 0; f && i < f->n_fields; i++)
		fprintf(out, "    %s %s\n", f->fields[i].type_text, f->fields[i].name);
}

/* A file may have a symbol twice. */
static void print_names(struct listing *l, bool fields, FILE *out)
{
	char *last = NULL;

	if (l->n)
		qsort(l->names, l->n, sizeof(*l->names), by_name);
	for (size_t i = 0; i < l->n; i++) {
		if (last && strcmp(last, l->names[i]) == 0)
			continue;
		last = l->names[i];
		fprintf(out, "%s\n", last);
		if (fields)
			print_fields(l, last, out);
	}
}

int list_probes(struct kernel *k, const char *pattern, bool fields, FILE *out)
{
	struct listing l = {.kernel = k};
	int status = 0;

	if (names_a_type(pattern))
		list_by_type(&l, pattern);
	else
		list_any(&l, pattern);
	print_names(&l, fields, out);
	if (l.error) {
		if (!l.is_said)
			log_error("cannot list all probes: %s", strerror(-l.error));
		status = 2;
	} else if (l.n == 0) {
		log_error("no probe matches '%s'", pattern ? pattern : "");
		status = 1;
	}
	for (size_t i = 0; i < l.n; i++)
		free(l.names[i]);
	free(l.names);
	return status;
}
