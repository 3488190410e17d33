/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See terminal.h.
 */
#include "runtime/base/terminal.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Zeros if it does not say. */
static struct winsize size_of(int fd)
{
	struct winsize size = {0};

	ioctl(fd, TIOCGWINSZ, &size);
	return size;
}

int terminal_columns(int fd, int otherwise)
{
	struct winsize size = size_of(fd);

	return size.ws_col > 1 ? size.ws_col : otherwise;
}

int terminal_lines(int fd, int otherwise)
{
	struct winsize size = size_of(fd);

	return size.ws_row > 1 ? size.ws_row : otherwise;
}

bool terminal_is_ours(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static const char erase[] = "\r\033[K";

static void put(const char *bytes, size_t n)
{
	ssize_t written = write(STDERR_FILENO, bytes, n);

	(void)written;
}

void terminal_draw(const char *text)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s%.*s", erase,
			 terminal_columns(STDERR_FILENO, 80) - 1, text);

	put(line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

void terminal_erase(void)
{
	put(erase, sizeof(erase) - 1);
}
