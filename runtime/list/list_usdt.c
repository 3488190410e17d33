/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: USDT probes of a file, up to the first ':'; with '*' for it, or with -p and none, of all that
 * is mapped. A name behind it is one of any provider.
 */
#define _GNU_SOURCE
#include "parser/lang/kernel.h"
#include "runtime/list/list_impl.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct note_listing {
	struct listing *l;
	const char *path, *pattern; /* of "provider:name" */
	const char *paths;	    /* a pattern of mapped files' paths; NULL: all */
};

static void offer_note(const struct usdt_note *note, void *ctx)
{
	struct note_listing *n = ctx;
	char *name = NULL, *line = NULL;

	if (asprintf(&name, "%s:%s", note->provider, note->name) < 0)
		return list_keep(n->l, NULL);
	if (n->l->near) {
		if (asprintf(&line, "%s:%s:", n->l->type, n->path) >= 0)
			list_near_compare(n->l, line, n->pattern, name, true);
		free(line);
	} else if (fnmatch(n->pattern, name, 0) == 0) {
		if (asprintf(&line, "%s:%s:%s", n->l->type, n->path, name) < 0)
			line = NULL;
		list_keep(n->l, line);
	}
	free(name);
}

static void offer_mapped(const char *path, void *ctx)
{
	struct note_listing *n = ctx;

	if (n->paths && fnmatch(n->paths, path, 0) != 0)
		return;
	n->path = path;
	n->l->kernel->each_usdt(n->l->kernel, path, offer_note, n);
}

static void list_notes(struct note_listing *n)
{
	int err = n->l->kernel->each_usdt(n->l->kernel, n->path, offer_note, n);

	if (err)
		list_refuse(n->l, "cannot list USDT probes of '%s': %s", n->path,
			    err == -ENOEXEC ? "not an ELF program or library" : strerror(-err));
}

static void offer_nothing(const struct usdt_note *note, void *ctx)
{
	(void)note;
	(void)ctx;
}

/* With -p or -c, NAME and PROVIDER:NAME are of that program, unless there is such a file. */
static bool names_file(struct kernel *k, const char *path, bool is_alone)
{
	if (!*path || (!k->pid && !k->program) || strchr(path, '/'))
		return *path;
	if (strpbrk(path, "*?"))
		return !is_alone;
	return k->each_usdt(k, path, offer_nothing, NULL) != -ENOENT;
}

/* Of the file, or of those that are mapped. */
static void list_files(struct note_listing *n, const char *path)
{
	struct kernel *k = n->l->kernel;

	if ((!*path || strcmp(path, "*") == 0) && k->program && !k->pid)
		path = k->program;
	n->path = path;
	n->paths = *path ? path : NULL;
	if (*path && !strpbrk(path, "*?"))
		list_notes(n);
	else if (*path || k->pid)
		list_mapped_files(n->l, offer_mapped, n);
	else
		list_refuse(n->l, "of which file? Write usdt:PATH, usdt:PATH:NAME");
}

void lst_usdt(struct listing *l)
{
	struct note_listing n = {.l = l};
	const char *rest = l->rest ? l->rest : "", *name = strchr(rest, ':');
	char *path = strndup(rest, strcspn(rest, ":")), *pattern = NULL;
	bool is_file = path && names_file(l->kernel, path, !name);

	name = !is_file ? rest : name ? name + 1 : "";
	name = *name ? name : "*";
	if (!path || asprintf(&pattern, "%s%s", strchr(name, ':') ? "" : "*:", name) < 0) {
		free(path);
		return list_keep(l, NULL);
	}
	n.pattern = pattern;
	list_files(&n, is_file ? path : "");
	free(path);
	free(pattern);
}
