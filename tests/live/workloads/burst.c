/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burst - a known number of system calls, as fast as possible.
 *
 *     burst N CPU [SECONDS]     N times getpgid(1), getpgid(2) … on one CPU, or, with CPU `all`, on
 *                               all at once; with SECONDS that many rounds, one a second
 *
 * Prints on standard error how many nanoseconds a call took.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long n_calls;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *burst(void *arg)
{
	long cpu = (long)(intptr_t)arg;
	uint64_t start;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("burst: sched_setaffinity"), exit(2);
	start = now_ns();
	for (long i = 1; i <= n_calls; i++)
		syscall(SYS_getpgid, i);
	fprintf(stderr, "burst: CPU %ld: %.1f ns\n", cpu,
		(double)(now_ns() - start) / (double)n_calls);
	return NULL;
}

static void everywhere(void)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[1024];

	n_cpus = n_cpus > 1024 ? 1024 : n_cpus;
	for (long i = 0; i < n_cpus; i++)
		if (pthread_create(&threads[i], NULL, burst, (void *)(intptr_t)i))
			perror("burst: pthread_create"), exit(2);
	for (long i = 0; i < n_cpus; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[3]) : 1;

	if (argc < 3)
		return 2;
	n_calls = atol(argv[1]);
	for (int i = 0; i < rounds; i++) {
		if (i)
			sleep(1);
		if (strcmp(argv[2], "all") == 0)
			everywhere();
		else
			burst((void *)(intptr_t)atol(argv[2]));
	}
	return 0;
}
