/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT probes of files and processes: see kernel_usdt.h. Reads ELF files (elfsym_usdt.c) and
 * /proc/PID/maps.
 */
#define _GNU_SOURCE
#include "kernel_usdt.h"
#include "elfsym.h"
#include "kernel_user.h"
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
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

/* "START-END r-xp OFFSET DEVICE INODE   /path": of code that is in a file which is still there. */
static void offer_line(struct files *f, char *line)
{
	static const char gone[] = " (deleted)";
	char *flags = strchr(line, ' '), *path = strchr(line, '/');
	size_t len;

	if (!flags || !path || flags[3] != 'x')
		return;
	len = strcspn(path, "\n");
	path[len] = '\0';
	if (len < sizeof(gone) || strcmp(path + len - (sizeof(gone) - 1), gone) != 0)
		offer_path(f, path);
}

static int each_of_process(struct files *f, const char *pid)
{
	char name[64], *line = NULL;
	size_t room = 0;
	FILE *maps;
	int err = 0;

	snprintf(name, sizeof(name), "/proc/%s/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return -errno;
	errno = 0;
	while (getline(&line, &room, maps) > 0)
		offer_line(f, line);
	if (ferror(maps))
		err = errno ? -errno : -EIO;
	free(line);
	fclose(maps);
	return err;
}

/* Processes that end meanwhile, or may not be read, have nothing mapped. */
static int each_of_all(struct files *f)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	if (!dir)
		return -errno;
	while ((d = readdir(dir)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			each_of_process(f, d->d_name);
	closedir(dir);
	return 0;
}

int usdt_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	struct files f = {.fn = fn, .ctx = ctx};
	char pid[16];
	int err;

	snprintf(pid, sizeof(pid), "%u", k->pid);
	err = k->pid ? each_of_process(&f, pid) : each_of_all(&f);
	tdestroy(f.seen, free);
	return err;
}
