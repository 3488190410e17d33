/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT probes of files and processes: reads ELF files (elfsym_usdt.c) and the files that processes
 * have mapped (proc_maps.c).
 */
#define _GNU_SOURCE
#include "runtime/elf/elfsym.h"
#include "runtime/kernel/kernel_user.h"
#include "runtime/base/proc_maps.h"
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct note_call {
	const char *path;
	usdt_note_fn fn;
	void *ctx;
};

static void call_note(const struct elfsym_usdt *u, void *ctx)
{
	const struct note_call *c = ctx;
	struct usdt_note note = {.path = c->path,
				 .provider = u->provider,
				 .name = u->name,
				 .args = u->args,
				 .address = u->vaddr,
				 .offset = u->file_offset,
				 .semaphore = u->semaphore};

	c->fn(&note, c->ctx);
}

int usdt_each_note(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx)
{
	struct note_call c = {.fn = fn, .ctx = ctx};
	int err = kernel_user_open(k, path);

	c.path = kernel_user_files(k)->path;
	return err ? err : elfsym_each_usdt(kernel_user_files(k)->elf, call_note, &c);
}

/* ---- what processes have mapped ---------------------------------------------------------- */

struct files {
	void *seen; /* a tsearch tree of paths */
	kernel_name_fn fn;
	void *ctx;
};

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void offer_path(struct files *f, const char *path)
{
	char *copy = strdup(path), **node;

	node = copy ? tsearch(copy, &f->seen, compare_paths) : NULL;
	if (node && *node == copy)
		f->fn(path, f->ctx);
	else
		free(copy);
}

/* Executable mappings of files that still exist. */
static int offer_mapped(const struct proc_mapping *m, void *ctx)
{
	if (m->is_executable && !m->is_deleted && m->path[0] == '/')
		offer_path(ctx, m->path);
	return 0;
}

/* Processes that end meanwhile or may not be read are skipped. */
static int each_of_all(struct files *f)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	if (!dir)
		return -errno;
	while ((d = readdir(dir)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			proc_maps_each((uint32_t)strtoul(d->d_name, NULL, 10), offer_mapped, f);
	closedir(dir);
	return 0;
}

int usdt_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	struct files f = {.fn = fn, .ctx = ctx};
	uint32_t pid = k->scope->pid;
	int err = pid ? proc_maps_each(pid, offer_mapped, &f) : each_of_all(&f);

	tdestroy(f.seen, free);
	return err;
}
