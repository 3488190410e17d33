/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is replaced as a whole, by rename(2), so that it is never half written, nor changed while
 * it is executed.
 */
#include "cli/base/replace_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int replace_file(const char *path, const void *bytes, size_t len, mode_t mode)
{
	char real[PATH_MAX], new[PATH_MAX + 32];
	struct stat st;
	int fd, err = 0;

	if (!realpath(path, real)) /* a new file; a symbolic link stays one */
		snprintf(real, sizeof(real), "%s", path);
	snprintf(new, sizeof(new), "%s.%d.new", real, getpid());
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, stat(real, &st) ? mode : st.st_mode & 07777) ||
	    write(fd, bytes, len) != (ssize_t)len)
		err = errno ? -errno : -EIO;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(new, real))
		err = -errno;
	if (err)
		unlink(new);
	return err;
}
