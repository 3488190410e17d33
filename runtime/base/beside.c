/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of this program, from /proc. */
#include "runtime/base/beside.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool beside_program(const char *relative, char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return false;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	return snprintf(path, size, "%s/%s", self, relative) < (int)size;
}
