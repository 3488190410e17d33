/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory: see memory_file.h.
 */
#define _GNU_SOURCE
#include "runtime/base/memory_file.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_file(const char *name, const void *bytes, size_t n)
{
	int fd = memfd_create(name, MFD_CLOEXEC), err;
	size_t done = 0;

	while (fd >= 0 && done < n) {
		ssize_t got = pwrite(fd, (const char *)bytes + done, n - done, (off_t)done);

		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		err = got ? -errno : -EIO;
		close(fd);
		return err;
	}
	return fd < 0 ? -errno : fd;
}
