/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that leave the CPU often, in every way: they nap, compute until they are preempted, end.
 *
 *	slices THREADS ROUNDS
 *
 * All THREADS wait for SIGUSR1. Then they, as many new threads that stay, and as many that end, nap
 * ROUNDS times and compute in between. Those that remain sleep from then on: before the signal, and
 * some time after it, /proc/PID/task/TID/status does not change.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long n_threads, rounds;
static pthread_barrier_t start;

static void work(void)
{
	struct timespec nap = {.tv_nsec = 1000000};
	volatile uint64_t sum = 0;

	for (long i = 0; i < rounds; i++) {
		for (uint64_t k = 0; k < 1000000; k++)
			sum += k;
		nanosleep(&nap, NULL);
	}
}

static void *run_old(void *arg)
{
	pthread_barrier_wait(&start);
	work();
	for (;;)
		pause();
	return arg;
}

static void *run_new(void *arg)
{
	work();
	for (;;)
		pause();
	return arg;
}

static void *run_short(void *arg)
{
	work();
	return arg;
}

static void create(void *(*run)(void *))
{
	pthread_t thread;

	for (long i = 0; i < n_threads; i++)
		if (pthread_create(&thread, NULL, run, NULL) || pthread_detach(thread))
			abort();
}

int main(int argc, char **argv)
{
	sigset_t set;
	int which;

	if (argc != 3)
		return 2;
	n_threads = strtol(argv[1], NULL, 10);
	rounds = strtol(argv[2], NULL, 10);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&start, NULL, (unsigned)n_threads + 1);
	create(run_old);
	sigwait(&set, &which);
	pthread_barrier_wait(&start);
	create(run_new);
	create(run_short);
	for (;;)
		pause();
}
