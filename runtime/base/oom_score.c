/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the score of this process: see oom_score.h.
 */
#include "runtime/base/oom_score.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int oom_score_set(enum oom_score score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%d", score) < 0)
		err = -errno;
	close(fd);
	return err;
}
