/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See printing.h. The handler puts /dev/null in the place of standard output: a write that waits
 * for the terminal is begun again, and all later ones are fast.
 */
#include "cli/base/printing.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int nowhere = -1, terminal = -1;
static volatile sig_atomic_t is_stopped;
static struct sigaction before;

static void stop(int signal)
{
	dup2(nowhere, STDOUT_FILENO);
	is_stopped = 1;
}

void printing_begin(void)
{
	struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};

	fflush(stdout);
	is_stopped = 0;
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (nowhere < 0 || terminal < 0)
		action.sa_handler = SIG_IGN;
	sigaction(SIGINT, &action, &before);
}

void printing_end(void)
{
	fflush(stdout);
	sigaction(SIGINT, &before, NULL);
	if (is_stopped) {
		dup2(terminal, STDOUT_FILENO);
		putchar('\n'); /* ends the line of the terminal's ^C */
		fflush(stdout);
	}
	close(nowhere);
	close(terminal);
}
