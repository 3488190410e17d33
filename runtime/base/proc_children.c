/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and their threads: see proc_children.h.
 */
#include "runtime/base/proc_children.h"
#include "runtime/base/proc_maps.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int proc_each_process(proc_fn *fn, void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int err = dir ? 0 : -errno;

	while (dir && !err && (d = readdir(dir)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			err = fn(ctx, (uint32_t)strtoul(d->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return err;
}

enum { MAX_DEPTH = 64 };

struct walk {
	proc_thread_fn *fn;
	void *ctx;
	bool descends, is_hidden;
};

static int visit(struct walk *w, uint32_t pid, int depth);

static int visit_children(struct walk *w, uint32_t pid, uint32_t tid, int depth)
{
	char path[96];
	uint32_t child;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", pid, tid);
	f = fopen(path, "re");
	while (f && !err && fscanf(f, "%u", &child) == 1)
		err = visit(w, child, depth + 1);
	if (f)
		fclose(f);
	return err;
}

static int visit(struct walk *w, uint32_t pid, int depth)
{
	char path[64];
	struct dirent *d;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	w->is_hidden |= !dir && proc_error(pid, errno) == -EACCES;
	while (dir && !err && (d = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(d->d_name, NULL, 10);

		if (!tid)
			continue;
		err = w->fn(w->ctx, pid, tid);
		if (!err && w->descends && depth < MAX_DEPTH)
			err = visit_children(w, pid, tid, depth);
	}
	if (dir)
		closedir(dir);
	return err;
}

int proc_each_thread(uint32_t pid, bool descends, proc_thread_fn *fn, void *ctx)
{
	struct walk w = {.fn = fn, .ctx = ctx, .descends = descends};
	int err = visit(&w, pid, 0);

	return err ? err : w.is_hidden ? -EACCES : 0;
}
