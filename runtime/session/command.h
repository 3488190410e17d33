/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command of -c: started stopped, released when the probes are attached.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;	/* 0: none */
	int gate;	/* closing it lets the command run */
	bool is_traced; /* by ptrace: it is stopped at its first instruction */
	int report;	/* the child's errno comes through here when it cannot be executed */
};

/* Split `text` into words as a shell would ('…', "…", \ ), without expansion. NULL with errno
 * (EINVAL: a quote is not closed or there is no word). Free with command_free_words. */
char **command_words(const char *text);
void command_free_words(char **words);
/* Fork a child that waits at the gate, then executes the words; it gets SIGTERM if we die. -errno
 * when there is no such program. */
int command_start(struct command *c, char *const *words);
/* Let it be executed, but stop it before its first instruction: what it is made of is mapped then.
 * 0; -ECHILD when it has ended without becoming the command; -errno when it cannot be stopped. */
int command_execute(struct command *c);
void command_release(struct command *c);
/* After the child has ended: 0, or -errno when it never became the command. */
int command_failure(struct command *c);
/* End it, when it still runs, and reap: by SIGTERM, or for good when it was never released. */
void command_stop(struct command *c);
