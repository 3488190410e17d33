/* SPDX-License-Identifier: Apache-2.0 */
/*
 * touch - known numbers of page faults, naps, and writes to a variable.
 *
 *     touch pages N       write to N pages that were never touched
 *     touch naps N        sleep N times, 1 ms each; prints "switched N", how often it left the CPU
 *     touch writes N      write N times to `watched`, and read it 2 N times
 *     touch thread N      the same in a thread that is created after the first write
 *     touch wait N        first wait for a line on standard input, then `thread N`
 *     touch again N       `writes N`, in a process forked from it, and there again after execve
 *     touch stay N        `writes N`, interrupt the parent, and wait for a signal
 *
 * The program is linked to fixed addresses: its symbol table has those of its variables.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile unsigned long watched __attribute__((aligned(8)));
volatile unsigned long beside __attribute__((aligned(8)));

static void pages(long n)
{
	volatile char *at = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	madvise((void *)at, (size_t)n * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		at[i * 4096] = 1;
}

static long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_nvcsw + use.ru_nivcsw;
}

static void naps(long n)
{
	struct timespec t = {0, 1000000};
	long before = switches();

	for (long i = 0; i < n; i++)
		nanosleep(&t, NULL);
	printf("switched %ld\n", switches() - before);
}

static __attribute__((noinline)) void writes(long n)
{
	for (long i = 0; i < n; i++) {
		watched = (unsigned long)i;
		beside += watched + watched;
	}
}

static void *run_writes(void *n)
{
	writes(*(long *)n);
	return NULL;
}

static void thread(long n)
{
	pthread_t t;

	writes(1);
	if (pthread_create(&t, NULL, run_writes, &n) == 0)
		pthread_join(t, NULL);
}

static void again(long n, char *number)
{
	writes(n);
	if (fork() == 0) {
		writes(n);
		execl("/proc/self/exe", "touch", "writes", number, NULL);
		_exit(1);
	}
	wait(NULL);
}

static void stay(long n)
{
	writes(n);
	kill(getppid(), SIGINT);
	pause();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (strcmp(what, "pages") == 0)
		pages(n);
	else if (strcmp(what, "naps") == 0)
		naps(n);
	else if (strcmp(what, "writes") == 0)
		writes(n);
	else if (strcmp(what, "again") == 0)
		again(n, argv[2]);
	else if (strcmp(what, "stay") == 0)
		stay(n);
	else if (strcmp(what, "wait") == 0 && getchar() != EOF)
		thread(n);
	else if (strcmp(what, "thread") == 0)
		thread(n);
	else
		return 2;
	return 0;
}
