/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of the cache: see cache.h.
 *
 * Whoever may write to the folder decides where walks lead. So it must belong to root or to this
 * user, as each file in it, and nobody else may write to them. A file is written under a name of
 * its own, and renamed when it is complete. The tables that were not used for longest are removed
 * when all have more than CACHE_BYTES_MAX bytes; the time of modification is that of the last use,
 * to a day.
 */
#include "runtime/unwind/cache.h"
#include "runtime/base/clock.h"
#include "runtime/base/folders.h"
#include "runtime/base/log.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"
#include <dirent.h>
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 96, USED_SECONDS = 86400 };

struct unwind_cache {
	char *folder;
	int dir; /* -1: it does not exist yet */
	struct unwind_image_id maker;
	struct cache_writer writer;
	char name[NAME_BYTES], part[NAME_BYTES]; /* of the file that is written; its first name */
	uint64_t bytes;				 /* of all files; 0: not known */
};

struct cached {
	uint64_t used_ns, bytes;
	char name[NAME_BYTES];
};

static bool is_own(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static uint64_t time_of(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

/* Open the folder. Returns 0 or -errno; -EPERM: others may write to it. */
static int open_folder(struct unwind_cache *c)
{
	struct stat st;

	c->dir = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (c->dir < 0)
		return -errno;
	if (!fstat(c->dir, &st) && is_own(&st))
		return 0;
	log_verbose("unwind: '%s' is not used: others may write to it", c->folder);
	close(c->dir);
	c->dir = -1;
	return -EPERM;
}

/* The identity of this program: another build may make other tables of a file. */
static bool find_maker(struct unwind_image_id *maker)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	maker->n = (uint32_t)build_id_read(fd, maker->build_id);
	close(fd);
	return maker->n;
}

struct unwind_cache *unwind_cache_open(const char *folder)
{
	struct unwind_cache *c = folder ? calloc(1, sizeof(*c)) : NULL;
	int err;

	if (!c)
		return NULL;
	c->writer.fd = -1;
	c->folder = strdup(folder);
	err = c->folder && find_maker(&c->maker) ? open_folder(c) : -ENODATA;
	if (!err || err == -ENOENT)
		return c;
	free(c->folder);
	free(c);
	return NULL;
}

void unwind_cache_close(struct unwind_cache *c)
{
	if (!c)
		return;
	if (c->writer.fd >= 0)
		unlinkat(c->dir, c->part, 0);
	cache_writer_end(&c->writer);
	if (c->dir >= 0)
		close(c->dir);
	free(c->folder);
	free(c);
}

static void name_of(const struct unwind_image_id *id, char out[NAME_BYTES])
{
	int at = 0;

	for (uint32_t i = 0; i < id->n; i++)
		at += snprintf(out + at, (size_t)(NAME_BYTES - at), "%02x", id->build_id[i]);
	snprintf(out + at, (size_t)(NAME_BYTES - at), "-%llx-%u", (unsigned long long)id->size,
		 id->owner);
}

int unwind_cache_load(struct unwind_cache *c, const struct unwind_image_id *id,
		      struct unwind_rules *rules, struct unwind_table *out)
{
	char name[NAME_BYTES];
	struct stat st;
	int fd, err;

	if (!c || c->dir < 0 || !id->n)
		return -ENOENT;
	name_of(id, name);
	fd = openat(c->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_own(&st)
		      ? -EPERM
		      : cache_file_read(fd, &c->maker, id, rules, out);
	if (!err &&
	    clock_ns(CLOCK_REALTIME) / 1000000000u > (uint64_t)st.st_mtim.tv_sec + USED_SECONDS)
		(void)futimens(fd, NULL);
	close(fd);
	return err;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Remove the files that were not used for longest, until a quarter of the space is free. */
static void trim(struct unwind_cache *c)
{
	int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	VEC(struct cached) files = {0};
	struct dirent *e;
	struct stat st;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	c->bytes = 0;
	while ((e = readdir(d))) {
		struct cached f = {0};

		if (strlen(e->d_name) >= NAME_BYTES ||
		    fstatat(c->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		f.used_ns = time_of(&st);
		f.bytes = (uint64_t)st.st_size;
		strcpy(f.name, e->d_name);
		c->bytes += f.bytes;
		(void)vec_push(&files, f);
	}
	closedir(d);
	vec_sort(&files);
	if (c->bytes > CACHE_BYTES_MAX)
		for (size_t i = 0; i < files.n && c->bytes > CACHE_BYTES_MAX / 4 * 3; i++)
			if (!unlinkat(c->dir, files.items[i].name, 0))
				c->bytes -= files.items[i].bytes;
	vec_free(&files);
}

int unwind_cache_begin(struct unwind_cache *c, const struct unwind_image_id *id,
		       const struct unwind_rules *rules, const struct unwind_table *t)
{
	char path[PATH_MAX];
	int err = 0;

	if (c->dir < 0 && snprintf(path, sizeof(path), "%s/", c->folder) < (int)sizeof(path))
		err = folders_make(path) ? open_folder(c) : -EACCES;
	if (err || c->dir < 0)
		return err ? err : -ENAMETOOLONG;
	name_of(id, c->name);
	snprintf(c->part, sizeof(c->part), ".%d", getpid());
	c->writer.fd = openat(c->dir, c->part,
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (c->writer.fd < 0)
		return -errno;
	err = cache_writer_begin(&c->writer, &c->maker, id, rules, t);
	if (err) {
		unlinkat(c->dir, c->part, 0);
		cache_writer_end(&c->writer);
	}
	return err;
}

int unwind_cache_write(struct unwind_cache *c)
{
	int err = cache_writer_next(&c->writer);

	if (err > 0)
		return err;
	if (!err && renameat(c->dir, c->part, c->dir, c->name))
		err = -errno;
	if (err)
		unlinkat(c->dir, c->part, 0);
	else if (c->bytes)
		c->bytes += c->writer.n_bytes;
	cache_writer_end(&c->writer);
	if (!c->bytes || c->bytes > CACHE_BYTES_MAX)
		trim(c);
	return err;
}
