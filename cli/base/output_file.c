/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See output_file.h.
 */
#include "cli/base/output_file.h"
#include "cli/base/create_file.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void report(const char *path, int err)
{
	static const struct {
		int err;
		const char *hint;
	} hints[] = {
		{ENOENT, "-o takes the name of a file in a folder that exists"},
		{ENOTDIR, "-o takes the name of a file in a folder that exists"},
		{EISDIR, "-o takes the name of a file, not of a folder"},
		{EBUSY, "another sonde writes or reads it: give another name"},
		{ELOOP,
		 "links that others made, or can replace, are not followed: give the name of "
		 "the file itself"},
		{EPERM, "in a folder to which others may write, only files of your own are "
			"overwritten: give another name"},
	};

	log_error("cannot write '%s': %s%s", path, strerror(-err), limit_hint(err));
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (hints[i].err == -err)
			log_hint("%s", hints[i].hint);
}

FILE *output_open(const char *path)
{
	int fd = path ? create_file(path, false) : 0;
	FILE *f = !path ? stdout : fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		report(path, fd < 0 ? fd : -errno);
	return f;
}

/* A regular file that was written must still be there. */
static bool is_there(const char *path, FILE *f)
{
	struct stat st, now;

	return fstat(fileno(f), &st) || !S_ISREG(st.st_mode) ||
	       (stat(path, &now) == 0 && now.st_dev == st.st_dev && now.st_ino == st.st_ino);
}

int output_close(const char *path, FILE *f)
{
	bool is_written, was_there;

	if (f == stdout)
		return 0;
	is_written = !ferror(f);
	was_there = is_there(path, f);
	if (fclose(f) || !is_written) {
		report(path, -errno);
		return 2;
	}
	if (was_there)
		return 0;
	log_error("'%s' is not the file that was written: that one was removed, moved or replaced "
		  "during the run",
		  path);
	return 1;
}

static bool keeps_mode(int folder, const char *name, mode_t mode, struct stat *old)
{
	return mode & 077 && fstatat(folder, name, old, AT_SYMLINK_NOFOLLOW) == 0 &&
	       old->st_uid == geteuid();
}

/* Write a new file beside `path` and rename it: it is never half written. 0 or -errno. */
static int replace_file(const char *path, const void *bytes, size_t len, mode_t mode)
{
	char name[NAME_MAX + 1], new[NAME_MAX + 32];
	bool is_proc;
	int folder = create_file_folder(path, name, &is_proc), fd, err = 0;
	struct stat st;

	if (folder < 0)
		return folder;
	snprintf(new, sizeof(new), "%s.%d.new", name, getpid());
	fd = openat(folder, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		err = -errno;
	else if (fchmod(fd, keeps_mode(folder, name, mode, &st) ? st.st_mode & 07777 : mode) ||
		 write(fd, bytes, len) != (ssize_t)len)
		err = errno ? -errno : -EIO;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && renameat(folder, new, folder, name))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(folder, new, 0);
	close(folder);
	return err;
}

/* A device or a pipe cannot be replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int output_write(const char *path, const void *bytes, size_t len, mode_t mode)
{
	FILE *f;
	int err;

	if (path && !is_special(path)) {
		err = replace_file(path, bytes, len, mode);
		if (err)
			report(path, err);
		return err ? 2 : 0;
	}
	f = output_open(path);
	if (!f)
		return 2;
	return fwrite(bytes, 1, len, f) != len && f == stdout ? 2 : output_close(path, f);
}
