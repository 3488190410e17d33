/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and threads, each of which calls getppid a known number of times.
 *
 *	family CHILDREN THREADS CALLS [MS]
 *
 * CHILDREN short processes, one after the other, each with one child of its own; then THREADS threads.
 * Each of them calls getppid CALLS times, and nobody else does: (2 CHILDREN + THREADS) CALLS in all.
 * With MS it waits that long first, and the threads call once a millisecond until they are killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long calls, forever;

static void call(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void *run_thread(void *arg)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	call(calls);
	while (forever) {
		call(1);
		nanosleep(&ms, NULL);
	}
	return arg;
}

static void wait_for_child(void)
{
	while (wait(NULL) > 0)
		;
}

static void child(void)
{
	if (fork() == 0) {
		call(calls);
		_exit(0);
	}
	call(calls);
	wait_for_child();
	_exit(0);
}

int main(int argc, char **argv)
{
	long n_children, n_threads;
	pthread_t threads[64];

	if (argc < 4)
		return 2;
	n_children = strtol(argv[1], NULL, 10);
	n_threads = strtol(argv[2], NULL, 10);
	calls = strtol(argv[3], NULL, 10);
	if (argc > 4) {
		usleep((unsigned)strtol(argv[4], NULL, 10) * 1000);
		forever = 1;
	}
	for (long i = 0; i < n_children; i++) {
		if (fork() == 0)
			child();
		wait_for_child();
	}
	for (long i = 0; i < n_threads && i < 64; i++)
		if (pthread_create(&threads[i], NULL, run_thread, NULL))
			return 1;
	for (long i = 0; i < n_threads && i < 64; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
