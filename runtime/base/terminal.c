/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See terminal.h.
 */
#include "runtime/base/terminal.h"
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_columns(int fd, int otherwise)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : otherwise;
}

bool terminal_is_ours(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void terminal_put(const char *bytes, size_t n)
{
	ssize_t written = write(STDERR_FILENO, bytes, n);

	(void)written;
}
