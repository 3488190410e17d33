/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tracefs: finds or mounts it, reads the format file of an event, lists the events.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "runtime/base/vec.h"
#include "runtime/kernel/tracefs.h"

enum { FORMAT_BYTES_MAX = 1 << 20 };

/* ---- the directory ---- */

static int open_mounted(const char *path)
{
	struct statfs fs;
	int fd;

	if (statfs(path, &fs) < 0 || (unsigned long)fs.f_type != TRACEFS_MAGIC)
		return -ENOENT;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_detached(void)
{
	unsigned int attr =
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
	int fs, fd = -1, err = 0;

	fs = syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		err = -errno;
	else
		fd = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attr);
	if (!err && fd < 0)
		err = -errno;
	close(fs);
	return err ? err : fd;
}

int tracefs_open(void)
{
	int fd = open_mounted("/sys/kernel/tracing");

	if (fd == -ENOENT)
		fd = open_mounted("/sys/kernel/debug/tracing");
	if (fd == -ENOENT)
		fd = open_detached();
	return fd == -EPERM ? -EACCES : fd;
}

/* ---- one format file ---- */

/* Read a file whose size stat() does not know. *out is to be free()d. */
static int read_whole(int fd, char **out, size_t *out_len)
{
	VEC(char) text = {0};
	ssize_t n = 1;
	int err = 0;

	while (!err && n > 0) {
		if (text.n == FORMAT_BYTES_MAX)
			err = -EFBIG;
		else if (text.n == text.capacity)
			err = vec_reserve(&text, text.n ? 2 * text.n : 4096);
		if (err)
			break;
		n = read(fd, text.items + text.n, text.capacity - text.n);
		err = n < 0 ? -errno : 0;
		text.n += n > 0 ? (size_t)n : 0;
	}
	if (err) {
		vec_free(&text);
		return err;
	}
	*out = text.items;
	*out_len = text.n;
	return 0;
}

/* The word comes from a script: it must not lead out of the folder. */
static bool is_file_name(const char *s)
{
	return s[0] && s[0] != '.' && !strchr(s, '/') && strlen(s) <= NAME_MAX;
}

/* A descriptor of events/…, -ENOENT, -EACCES or another -errno. */
static int open_below(int tracefs_fd, int flags, const char *path)
{
	int fd = openat(tracefs_fd, path, flags | O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EPERM)
		return -EACCES;
	return errno == ENOTDIR ? -ENOENT : -errno;
}

int tracefs_format_read(int tracefs_fd, const char *category, const char *event,
			struct tp_format **out)
{
	char path[2 * NAME_MAX + sizeof("events///format")], *text = NULL;
	size_t len = 0;
	int fd, err;

	if (!is_file_name(category) || !is_file_name(event))
		return -ENOENT;
	snprintf(path, sizeof(path), "events/%s/%s/format", category, event);
	fd = open_below(tracefs_fd, 0, path);
	if (fd < 0)
		return fd;
	err = read_whole(fd, &text, &len);
	close(fd);
	if (!err)
		err = tracefs_format_parse(category, event, text, len, out);
	free(text);
	return err;
}

/* ---- listing ---- */

struct listing {
	int events_fd; /* the folder events/ while all categories are listed; owned by the DIR */
	const char *category;
	kernel_name_fn fn;
	void *ctx;
};

/* Call fn for each folder in `dir_fd`, which is closed. */
static int each_folder(int dir_fd, int (*fn)(struct listing *l, const char *name),
		       struct listing *l)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *e;
	int err = 0;

	if (!dir) {
		err = -errno;
		close(dir_fd);
		return err;
	}
	while (!err && (errno = 0, e = readdir(dir))) {
		if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			err = fn(l, e->d_name);
	}
	if (!err)
		err = -errno;
	closedir(dir);
	return err;
}

static int list_event(struct listing *l, const char *event)
{
	char name[2 * NAME_MAX + 2];

	snprintf(name, sizeof(name), "%s:%s", l->category, event);
	l->fn(name, l->ctx);
	return 0;
}

static int list_category(struct listing *l, const char *category)
{
	int fd = open_below(l->events_fd, O_DIRECTORY, category);

	if (fd < 0) /* just removed, or a file */
		return fd == -ENOENT ? 0 : fd;
	l->category = category;
	return each_folder(fd, list_event, l);
}

int tracefs_each_event(int tracefs_fd, const char *category, kernel_name_fn fn, void *ctx)
{
	struct listing l = {.category = category, .fn = fn, .ctx = ctx};
	char path[NAME_MAX + sizeof("events/")];

	if (category && !is_file_name(category))
		return -ENOENT;
	snprintf(path, sizeof(path), "events/%s", category ? category : "");
	l.events_fd = open_below(tracefs_fd, O_DIRECTORY, path);
	if (l.events_fd < 0)
		return l.events_fd;
	return each_folder(l.events_fd, category ? list_event : list_category, &l);
}
