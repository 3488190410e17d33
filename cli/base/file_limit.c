/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See file_limit.h.
 */
#include "cli/base/file_limit.h"
#include <sys/resource.h>

void file_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
