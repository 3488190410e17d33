/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pingpong CPU DEPTH - two threads on one CPU that wake each other over pipes, each below about DEPTH
 * frames: what the bench `stacks` traces. It is built with and without frame pointers.
 *
 * Reads lines `CHUNKS N` from stdin, switches CHUNKS times N times, and replies with each chunk's
 * CPU time for a switch, in nanoseconds (workload.c does the same for other events).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* In every stack: read(), the loop, and two to four frames of libc below main or the thread. */
enum { OTHER_FRAMES = 5 };

static int there[2], back[2];

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

NOINLINE static void answer(void)
{
	for (char byte; read(there[0], &byte, 1) == 1;)
		if (write(back[1], &byte, 1) != 1)
			exit(0);
}

NOINLINE static void serve(void)
{
	unsigned long long chunks, n;
	char byte = 0;

	while (scanf("%llu %llu", &chunks, &n) == 2) {
		for (unsigned long long i = 0; i < chunks; i++) {
			uint64_t from = cpu_ns();

			for (unsigned long long k = 0; k < n; k += 2)
				if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
					exit(2);
			printf("%.2f ", (double)(cpu_ns() - from) / (double)n);
		}
		puts("");
		fflush(stdout);
	}
}

/* A frame of about 90 bytes, which is usual. */
NOINLINE static long below(void (*do_work)(void), int depth)
{
	volatile long room[5] = {depth};
	long sum = depth;

	if (depth > 1)
		sum += below(do_work, depth - 1);
	else
		do_work();
	return sum + room[0];
}

static void *run_partner(void *depth)
{
	below(answer, *(int *)depth);
	return NULL;
}

int main(int argc, char **argv)
{
	int depth = argc == 3 ? atoi(argv[2]) - OTHER_FRAMES : 0;
	pthread_t partner;
	cpu_set_t set;

	if (argc != 3)
		return fprintf(stderr, "usage: pingpong CPU DEPTH\n"), 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	prctl(PR_SET_NAME, "pingpong");
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(there) || pipe(back))
		return perror("pingpong"), 2;
	if (pthread_create(&partner, NULL, run_partner, &depth))
		return 2;
	below(serve, depth);
	return 0;
}
