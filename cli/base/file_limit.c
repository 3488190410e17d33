/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See file_limit.h.
 */
#include "cli/base/file_limit.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TABLE = 2048 };

void file_table_reserve(void)
{
	struct rlimit limit;
	rlim_t n = getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
	int fd = n ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, (int)(n < TABLE ? n : TABLE) - 1) : -1;

	if (fd >= 0)
		close(fd);
}

void file_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
