/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small BTF section for CO-RE, cut out of the kernel's, as a file in memory.
 */
#define _GNU_SOURCE
#include "runtime/base/memory_file.h"
#include "runtime/btf/btf_raw.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int kernel_btf_cut(struct kernel *kernel, const char *const *structs, size_t n)
{
	const struct btf_raw *btf = kernel_btf(kernel);
	void *section = NULL;
	size_t len = 0;
	int err = btf ? btf_raw_cut(btf, structs, n, &section, &len) : -ENOSYS;

	if (!err)
		err = memory_file("sonde_btf", section, len);
	free(section);
	return err;
}
