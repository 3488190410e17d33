/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See output_file.h.
 */
#include "cli/base/output_file.h"
#include "runtime/base/create_file.h"
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
		err = create_file_replace(path, bytes, len, mode);
		if (err)
			report(path, err);
		return err ? 2 : 0;
	}
	f = output_open(path);
	if (!f)
		return 2;
	return fwrite(bytes, 1, len, f) != len && f == stdout ? 2 : output_close(path, f);
}
