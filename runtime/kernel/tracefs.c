/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tracefs: finds or mounts it, reads the format file of an event, lists the events.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "parser/base/read_text.h"
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

/* The word comes from a script: it must not lead out of the folder. */
static bool is_file_name(const char *s)
{
	return s[0] && s[0] != '.' && !strchr(s, '/') && strlen(s) <= NAME_MAX;
}

static int open_file(int tracefs_fd, const char *path, FILE **out)
{
	int fd = openat(tracefs_fd, path, O_RDONLY | O_CLOEXEC), err;

	*out = fd < 0 ? NULL : fdopen(fd, "r");
	err = *out ? 0 : -errno;
	if (err && fd >= 0)
		close(fd);
	return err == -EPERM ? -EACCES : err == -ENOTDIR ? -ENOENT : err;
}

int tracefs_format_text(int tracefs_fd, const char *category, const char *event, char **out)
{
	char path[2 * NAME_MAX + sizeof("events///format")];
	size_t len;
	FILE *f;
	int err;

	if (!is_file_name(category) || !is_file_name(event))
		return -ENOENT;
	snprintf(path, sizeof(path), "events/%s/%s/format", category, event);
	err = open_file(tracefs_fd, path, &f);
	if (err)
		return err;
	*out = read_text(f, '\0', FORMAT_BYTES_MAX, &len);
	err = *out ? 0 : errno ? -errno : -EINVAL;
	fclose(f);
	return err;
}

int tracefs_format_read(struct arena *a, int tracefs_fd, const char *category, const char *event,
			const struct tp_format **out)
{
	char *text = NULL;
	int err = tracefs_format_text(tracefs_fd, category, event, &text);

	if (!err)
		err = tracefs_format_parse(a, category, event, text, strlen(text), out);
	free(text);
	return err;
}

/* ---- listing ---- */

int tracefs_each_line(int dir_fd, const char *path, kernel_name_fn fn, void *ctx)
{
	char *line = NULL, *tab;
	size_t size = 0;
	FILE *f;
	int err = open_file(dir_fd, path, &f);

	if (err)
		return err;
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t'); /* "name\t[module]" on some kernels */
		if (tab)
			*tab = ' ';
		fn(line, ctx);
	}
	free(line);
	fclose(f);
	return 0;
}

struct listing {
	const char *category;
	kernel_name_fn fn;
	void *ctx;
	bool is_found;
};

static void offer_event(const char *name, void *ctx)
{
	struct listing *l = ctx;
	size_t n = l->category ? strlen(l->category) : 0;

	if (l->category && (strncmp(name, l->category, n) != 0 || name[n] != ':'))
		return;
	l->is_found = true;
	l->fn(name, l->ctx);
}

int tracefs_each_event(int tracefs_fd, const char *category, kernel_name_fn fn, void *ctx)
{
	struct listing l = {.category = category, .fn = fn, .ctx = ctx};
	int err = tracefs_each_line(tracefs_fd, "available_events", offer_event, &l);

	return err ? err : l.is_found || !category ? 0 : -ENOENT;
}
