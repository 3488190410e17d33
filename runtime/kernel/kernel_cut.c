/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small BTF section for CO-RE, cut out of the kernel's, as a file in memory.
 */
#define _GNU_SOURCE
#include "runtime/btf/btf_raw.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int write_memfd(const void *data, size_t len)
{
	int fd = memfd_create("sonde_btf", MFD_CLOEXEC), err;
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (done < len) {
		n = write(fd, (const char *)data + done, len - done);
		if (n < 0) {
			err = -errno;
			close(fd);
			return err;
		}
		done += n;
	}
	return fd;
}

int kernel_btf_cut(struct kernel *kernel, const char *const *structs, size_t n)
{
	const struct btf_raw *btf = kernel_btf(kernel);
	void *section = NULL;
	size_t len = 0;
	int err = btf ? btf_raw_cut(btf, structs, n, &section, &len) : -ENOSYS;

	if (!err)
		err = write_memfd(section, len);
	free(section);
	return err;
}
