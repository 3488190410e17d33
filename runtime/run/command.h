/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command of -c: forked first, executed when the probes are attached.
 */
#pragma once
#include <stdbool.h>
#include <limits.h>
#include <sys/types.h>

struct command {
	pid_t pid;		/* 0: none */
	int gate;		/* closing it lets the command run */
	bool is_traced;		/* by ptrace: it is stopped at its first instruction */
	char program[PATH_MAX]; /* where the program was found */
	bool is_hidden;		/* its terminal is /dev/null */
	int report;		/* receives the child's errno when execvp() fails */
};

/* Split `text` into words as a shell would ('…', "…", \ ), without expansion. NULL with errno
 * (EINVAL: a quote is not closed or there is no word). Free with command_free_words. */
char **command_words(const char *text);
void command_free_words(char **words);
/* The program of that name, in $PATH if it is not a path. 0 or -errno. */
int command_find(const char *name, char found[PATH_MAX]);
/* Fork a child that waits at the gate, then executes the words. It gets SIGTERM when this process
 * dies. 0, or -errno, also when there is no such program. */
int command_start(struct command *c, char *const *words);
/* Execute the command and stop it before its first instruction, when its files are mapped. 0;
 * -ECHILD when the child ended without executing it; -errno when it cannot be stopped. */
int command_execute(struct command *c);
/* Let the command run. */
void command_release(struct command *c);
/* After the child has ended: 0, or -errno when it could not execute the command. */
int command_failure(struct command *c);
/* If the command still runs, end it with SIGTERM (SIGKILL if it was never released) and reap it. */
void command_stop(struct command *c);
