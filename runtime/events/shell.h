/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a shell command and collects what it prints.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { SHELL_SECONDS = 60, SHELL_OUTPUT = 1 << 20 };

struct shell_result {
	char *output; /* both streams; the caller frees it */
	size_t n;
	bool is_cut;	     /* it printed more than SHELL_OUTPUT bytes */
	bool is_late;	     /* it ran for SHELL_SECONDS, and was killed */
	bool is_interrupted; /* it got SIGINT, because `stop_fd` became readable */
	int status;	     /* as from waitpid(2) */
};

/* Run `sh -c command` and wait for it. It and its process group are killed after SHELL_SECONDS, and
 * get SIGINT when stop_fd, which may be -1, becomes readable. 0 or -errno. */
int shell_run(const char *command, int stop_fd, struct shell_result *out);
/* Send SIGINT to the command that runs, if any, and to its process group. For signal handlers. */
void shell_interrupt(void);
