/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn - starts one program and measures it from a small process, so that neither the time nor the
 * memory that Python needs to start a child is in the numbers. Prints one line for tests/bench/run.
 *
 *     spawn run COMMAND...      until it ends:        wall_ns rss_kb status
 *     spawn attach COMMAND...   until a byte comes on its descriptor 9, a pause, SIGINT, its end:
 *                               ready_ns end_ns rss_kb status
 *
 * rss_kb is the maximum resident size of the program or of one of its children (wait4).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READY_FD = 9, TRACE_MS = 30 };

extern char **environ;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The program's output is discarded; `ready` becomes its descriptor 9. */
static pid_t start(char **words, int ready)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = 0;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (ready >= 0)
		posix_spawn_file_actions_adddup2(&actions, ready, READY_FD);
	err = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (!err)
		return pid;
	fprintf(stderr, "spawn: %s: %s\n", words[0], strerror(err));
	exit(2);
}

static long end(pid_t pid, int *status)
{
	struct rusage usage;

	while (wait4(pid, status, 0, &usage) < 0)
		if (errno != EINTR)
			exit(2);
	return usage.ru_maxrss;
}

static void run(char **words)
{
	uint64_t from = now_ns();
	pid_t pid = start(words, -1);
	int status;
	long rss = end(pid, &status);

	printf("%llu %ld %d\n", (unsigned long long)(now_ns() - from), rss, status);
}

static void attach(char **words)
{
	struct timespec pause = {.tv_nsec = TRACE_MS * 1000000L};
	int ready[2], status;
	uint64_t from, at;
	pid_t pid;
	char byte;
	long rss;

	if (pipe2(ready, O_CLOEXEC))
		exit(2);
	from = now_ns();
	pid = start(words, ready[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		fprintf(stderr, "spawn: %s ended before it was ready\n", words[0]);
		exit(2);
	}
	at = now_ns() - from;
	nanosleep(&pause, NULL);
	from = now_ns();
	kill(pid, SIGINT);
	rss = end(pid, &status);
	printf("%llu %llu %ld %d\n", (unsigned long long)at, (unsigned long long)(now_ns() - from),
	       rss, status);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "run") == 0)
		run(argv + 2);
	else if (argc > 2 && strcmp(argv[1], "attach") == 0)
		attach(argv + 2);
	else
		return fprintf(stderr, "usage: spawn run|attach COMMAND...\n"), 2;
	return 0;
}
