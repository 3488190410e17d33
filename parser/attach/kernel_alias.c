/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other names of kernel functions: see kernel_alias.h. Functions with these prefixes may be listed
 * only under the name with the prefix. If another name is a separate function, it is listed too.
 */
#include "parser/attach/kernel_alias.h"
#include <stdio.h>
#include <string.h>

static const struct {
	const char *listed, *other;
} prefixes[] = {
	{"__do_sys_", "__x64_sys_"},
	{"__do_sys_", "__ia32_sys_"},
	{"__ia32_sys_", "__x64_sys_"},
};

bool kernel_alias(const char *name, uint32_t i, char *out, size_t size)
{
	for (size_t k = 0; k < sizeof(prefixes) / sizeof(*prefixes); k++) {
		size_t n = strlen(prefixes[k].listed);

		if (strncmp(name, prefixes[k].listed, n) != 0 || i-- > 0)
			continue;
		return snprintf(out, size, "%s%s", prefixes[k].other, name + n) < (int)size;
	}
	return false;
}
