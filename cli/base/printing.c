/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See printing.h. The handler puts /dev/null in the place of standard output: a write that waits
 * for the terminal is begun again, and all later ones are fast.
 */
#include "cli/base/printing.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int nowhere = -1, terminal = -1;
static volatile sig_atomic_t is_stopped;
static struct sigaction before, before_pipe;
static pid_t pager;

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

/* The pager reads `from` and writes to the terminal. */
static int start_pager(int from)
{
	char *chosen = getenv("PAGER");
	char *less[] = {"less", "-FRX", NULL}, *shell[] = {"sh", "-c", chosen, NULL};
	posix_spawn_file_actions_t files;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return err;
	err = posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
	if (!err)
		err = chosen ? posix_spawnp(&pager, "sh", &files, NULL, shell, environ)
			     : posix_spawnp(&pager, "less", &files, NULL, less, environ);
	posix_spawn_file_actions_destroy(&files);
	return err;
}

void printing_page(void)
{
	int ends[2];

	if (!isatty(STDOUT_FILENO) || terminal < 0 || pipe2(ends, O_CLOEXEC))
		return;
	if (start_pager(ends[0]) == 0) {
		sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &before_pipe);
		dup2(ends[1], STDOUT_FILENO);
	} else {
		pager = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

int printing_target(void)
{
	return pager ? terminal : STDOUT_FILENO;
}

static void end_pager(void)
{
	__fpurge(stdout); /* what a pager that was left did not read */
	clearerr(stdout);
	dup2(terminal, STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGPIPE, &before_pipe, NULL);
	pager = 0;
	is_stopped = 0;
}

void printing_end(void)
{
	fflush(stdout);
	if (pager)
		end_pager();
	sigaction(SIGINT, &before, NULL);
	if (is_stopped) {
		dup2(terminal, STDOUT_FILENO);
		putchar('\n'); /* ends the line of the terminal's ^C */
		fflush(stdout);
	}
	close(nowhere);
	close(terminal);
}
