/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory: see memory_file.h.
 */
#include "runtime/base/memory_file.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

char *memory_file_bytes(int fd, size_t most, size_t *n)
{
	struct stat st;
	ssize_t got = 1;
	char *bytes;

	if (fstat(fd, &st))
		return NULL;
	if ((size_t)st.st_size > most) {
		errno = EFBIG;
		return NULL;
	}
	bytes = calloc(1, (size_t)st.st_size + 1);
	for (*n = 0; bytes && got > 0; *n += got > 0 ? (size_t)got : 0)
		got = pread(fd, bytes + *n, (size_t)st.st_size - *n, (off_t)*n);
	if (got >= 0)
		return bytes;
	free(bytes);
	return NULL;
}
