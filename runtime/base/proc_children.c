/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descendants of processes: see proc_children.h.
 */
#define _GNU_SOURCE
#include "runtime/base/proc_children.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 64 };

/* Call fn with each child of the thread `tid` of process `pid`. */
static void each_child(uint32_t pid, uint32_t tid, proc_child_fn *fn, void *ctx)
{
	char path[96];
	uint32_t child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", pid, tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%u", &child) == 1)
		fn(child, ctx);
	if (f)
		fclose(f);
}

struct walk {
	proc_child_fn *fn;
	void *ctx;
	int depth;
};

static void visit_children(uint32_t pid, struct walk *w);

static void visit(uint32_t pid, void *ctx)
{
	struct walk *w = ctx;

	w->fn(pid, w->ctx);
	if (w->depth++ < MAX_DEPTH)
		visit_children(pid, w);
	w->depth--;
}

static void visit_children(uint32_t pid, struct walk *w)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(d->d_name, NULL, 10);

		if (tid)
			each_child(pid, tid, visit, w);
	}
	if (dir)
		closedir(dir);
}

void proc_children_each_descendant(uint32_t pid, proc_child_fn *fn, void *ctx)
{
	visit_children(pid, &(struct walk){.fn = fn, .ctx = ctx});
}
