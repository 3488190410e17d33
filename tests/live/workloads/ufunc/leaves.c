/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that do not end by a plain return, for tests/live/ufunc.test: the program must survive,
 * and its output must be right, whatever is probed.
 *
 *   leaves vfork N	visit() calls vfork(), whose child calls visited() and _exit; N times
 *   leaves signal N	visit() is interrupted N times; the handler calls visited() and returns
 *   leaves escape N	the same, and the handler leaves by siglongjmp
 *   leaves exec	visit() executes this program again, with "vfork 1"
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static sigjmp_buf base;
static volatile long handled;
static int escapes;
static const char *program;

long visited(long n);
long visit(const char *how, long n);

KEPT long visited(long n)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	return n + 1;
}

static void handle(int sig)
{
	(void)sig;
	handled = visited(handled);
	if (escapes)
		siglongjmp(base, 1);
}

KEPT long visit(const char *how, long n)
{
	pid_t pid;
	int status;

	if (strcmp(how, "exec") == 0) {
		execl(program, program, "vfork", "1", (char *)NULL);
		return -1;
	}
	if (strcmp(how, "vfork") != 0) {
		raise(SIGUSR1);
		return n;
	}
	pid = vfork();
	if (pid == 0) {
		visited(n);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	return n + WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "vfork";
	long n = argc > 2 ? atol(argv[2]) : 1, sum = 0;
	volatile long i = 0;

	program = argv[0];
	escapes = strcmp(how, "escape") == 0;
	signal(SIGUSR1, handle);
	sigsetjmp(base, 1);
	while (i < n) {
		i = i + 1;
		sum += visit(how, i);
	}
	printf("%s: %ld handled, sum %ld\n", how, (long)handled, sum);
	return 0;
}
