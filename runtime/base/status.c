/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See status.h. errno is preserved. Messages come from several threads, so the flag that the line
 * is drawn is atomic: one of them erases it.
 */
#include "runtime/base/status.h"
#include "runtime/base/terminal.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_open;
static bool is_shown;	    /* atomic */
static bool is_within_line; /* the output's last byte was no newline */

static bool is_same_terminal(void)
{
	struct stat out, err;

	if (fstat(STDOUT_FILENO, &out) || fstat(STDERR_FILENO, &err))
		return false;
	if (S_ISREG(out.st_mode))
		return true;
	return S_ISCHR(out.st_mode) && (!isatty(STDOUT_FILENO) || out.st_rdev == err.st_rdev);
}

void status_open(void)
{
	const char *term = getenv("TERM");

	is_open = term && *term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO) == 1 &&
		  is_same_terminal();
}

bool status_is_open(void)
{
	return is_open;
}

bool status_is_shown(void)
{
	return __atomic_load_n(&is_shown, __ATOMIC_ACQUIRE);
}

void status_hide(void)
{
	int saved_errno = errno;

	if (is_open && __atomic_exchange_n(&is_shown, false, __ATOMIC_ACQ_REL))
		terminal_erase();
	errno = saved_errno;
}

void status_close(void)
{
	status_hide();
	is_open = false;
}

void status_note(int fd, const char *bytes, size_t n)
{
	if (is_open && n && isatty(fd))
		is_within_line = bytes[n - 1] != '\n';
}

void status_show(const char *text)
{
	if (!is_open || is_within_line || !terminal_is_ours())
		return;
	__atomic_store_n(&is_shown, true, __ATOMIC_RELEASE);
	terminal_draw(text);
}
