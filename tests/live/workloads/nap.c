/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time off the CPU, in forms that offcpu_demo does not have.
 *
 *	nap same THREADS ROUNDS MS	threads that all sleep in nap_alike; prints "slept NS": how
 *					long that took, minus their time on the CPU
 *	nap never MS			a thread that waits in wait_forever for something that never comes,
 *					while main sleeps in nap_main, for ever
 *	nap loop MS			main sleeps in nap_main for ever; so does a thread, in nap_alike
 *	nap switch ROUNDS		two threads pass a byte to each other through pipes: at least
 *					2 ROUNDS waits; and a child ends
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static long rounds, ms, slept_ns;

NOINLINE void nap_alike(void);
NOINLINE void nap_main(long n);
NOINLINE void wait_forever(void);

NOINLINE void nap_alike(void)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	for (long i = 0; i < rounds; i++)
		nanosleep(&pause, NULL);
}

NOINLINE void nap_main(long n)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	for (long i = 0; i < n; i++)
		nanosleep(&pause, NULL);
}

NOINLINE void wait_forever(void)
{
	static sem_t never;

	while (sem_wait(&never) && errno == EINTR)
		;
}

static long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long off_cpu_ns(void)
{
	long on = now_ns(CLOCK_THREAD_CPUTIME_ID);

	return now_ns(CLOCK_MONOTONIC) - on;
}

static void *run_alike(void *arg)
{
	long start = off_cpu_ns();

	nap_alike();
	__atomic_fetch_add(&slept_ns, off_cpu_ns() - start, __ATOMIC_RELAXED);
	return arg;
}

static void *run_forever(void *arg)
{
	prctl(PR_SET_NAME, "nap_forever");
	wait_forever();
	return arg;
}

static int to_main[2], to_thread[2];

static void *run_switch(void *arg)
{
	char byte;

	prctl(PR_SET_NAME, "nap_partner");
	for (long i = 0; i < rounds; i++)
		if (read(to_thread[0], &byte, 1) != 1 || write(to_main[1], "x", 1) != 1)
			abort();
	return arg;
}

static int switch_threads(void)
{
	pthread_t thread;
	char byte;

	if (pipe(to_main) || pipe(to_thread) || pthread_create(&thread, NULL, run_switch, NULL))
		return 1;
	for (long i = 0; i < rounds; i++)
		if (write(to_thread[1], "x", 1) != 1 || read(to_main[0], &byte, 1) != 1)
			return 1;
	pthread_join(thread, NULL);
	if (fork() == 0)
		_exit(0);
	wait(NULL);
	return 0;
}

static int run(int argc, char **argv)
{
	pthread_t threads[64];
	long n;

	if (argc == 5 && strcmp(argv[1], "same") == 0) {
		n = strtol(argv[2], NULL, 10);
		rounds = strtol(argv[3], NULL, 10);
		ms = strtol(argv[4], NULL, 10);
		for (long i = 0; i < n && i < 64; i++)
			if (pthread_create(&threads[i], NULL, run_alike, NULL))
				return 1;
		for (long i = 0; i < n && i < 64; i++)
			pthread_join(threads[i], NULL);
		printf("slept %ld\n", slept_ns);
		return 0;
	}
	if (argc == 3 && (strcmp(argv[1], "never") == 0 || strcmp(argv[1], "loop") == 0)) {
		rounds = 1L << 40;
		ms = strtol(argv[2], NULL, 10);
		if (pthread_create(threads, NULL, argv[1][0] == 'n' ? run_forever : run_alike,
				   NULL))
			return 1;
		nap_main(rounds);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "switch") == 0) {
		rounds = strtol(argv[2], NULL, 10);
		return switch_threads();
	}
	return 2;
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	if (status)
		fprintf(stderr, "nap: see the head of nap.c\n");
	return status;
}
