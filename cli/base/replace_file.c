/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is replaced as a whole, by rename(2), so that it is never half written, nor changed while
 * it is executed.
 */
#include "cli/base/replace_file.h"
#include "cli/base/create_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool keeps_mode(int folder, const char *name, mode_t mode, struct stat *old)
{
	return mode & 077 && fstatat(folder, name, old, AT_SYMLINK_NOFOLLOW) == 0 &&
	       old->st_uid == geteuid();
}

int replace_file(const char *path, const void *bytes, size_t len, mode_t mode)
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
