/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole reads and writes: see io.h.
 */
#include "runtime/base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int io_write(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t written = write(fd, at, n);

		if (written >= 0) {
			at += written;
			n -= (size_t)written;
		} else if (errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			if (poll(&p, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

ssize_t io_read_at(int fd, void *into, size_t n, uint64_t offset)
{
	size_t got = 0;

	while (got < n) {
		ssize_t more = pread(fd, (char *)into + got, n - got, (off_t)(offset + got));

		if (more < 0 && errno != EINTR)
			return -errno;
		if (more == 0)
			break;
		got += more > 0 ? (size_t)more : 0;
	}
	return (ssize_t)got;
}

/* Read and close the file. */
static ssize_t read_text(int fd, char *text, size_t size, uint64_t offset)
{
	ssize_t n = fd < 0 ? -errno : pread(fd, text, size - 1, (off_t)offset);

	if (fd >= 0) {
		n = n < 0 ? -errno : n;
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n;
}

ssize_t io_read_file(const char *path, char *text, size_t size, uint64_t offset)
{
	return read_text(open(path, O_RDONLY | O_CLOEXEC), text, size, offset);
}

ssize_t io_read_head(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
		errno = EINVAL;
	}
	return read_text(fd, text, size, 0);
}

ssize_t io_read_proc(uint32_t pid, const char *name, char *text, size_t size, uint64_t offset)
{
	char path[48];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	n = io_read_file(path, text, size, offset);
	return n == -ENOENT ? -ESRCH : n;
}

uint64_t io_read_number(const char *path)
{
	char text[32];

	io_read_file(path, text, sizeof(text), 0);
	return strtoull(text, NULL, 10);
}
