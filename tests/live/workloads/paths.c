/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths - one process with many different stacks.
 *
 *     paths DEPTH ROUNDS RATE [nap]
 *
 * Calls getppid() at the end of each path through DEPTH calls of one of two functions: 2^DEPTH
 * different stacks in each of ROUNDS rounds, RATE of them a second (0: as fast as possible). With
 * `nap` it also sleeps for 20 us there, and prints at how many ends of a path it has left the
 * CPU to wait.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static long rate, n_calls, n_waited;
static bool naps;
static struct timespec begin;

NOINLINE void path_left(unsigned depth, unsigned turns);
NOINLINE void path_right(unsigned depth, unsigned turns);
NOINLINE void path_end(void);

/* Wait after each 10 ms of calls. */
static void keep_rate(void)
{
	long due_ns;

	if (!rate || n_calls % (rate / 100 + 1))
		return;
	due_ns = begin.tv_nsec + n_calls * 1000000L / rate * 1000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME,
			&(struct timespec){begin.tv_sec + due_ns / 1000000000, due_ns % 1000000000},
			NULL);
}

static long n_waits(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

void path_end(void)
{
	long before;

	syscall(SYS_getppid);
	if (naps) {
		before = n_waits();
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 20000}, NULL);
		n_waited += n_waits() > before;
	}
	n_calls++;
	keep_rate();
}

static void go_on(unsigned depth, unsigned turns)
{
	if (!depth)
		path_end();
	else if (turns & 1)
		path_left(depth - 1, turns >> 1);
	else
		path_right(depth - 1, turns >> 1);
}

void path_left(unsigned depth, unsigned turns)
{
	go_on(depth, turns);
}

void path_right(unsigned depth, unsigned turns)
{
	go_on(depth, turns);
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4;
	long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 1;

	rate = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	naps = argc > 4;
	if (naps)
		prctl(PR_SET_TIMERSLACK, 1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (long i = 0; i < rounds; i++)
		for (unsigned turns = 0; turns < 1u << depth; turns++)
			go_on(depth, turns);
	printf("calls %ld\n", n_calls);
	if (naps)
		fprintf(stderr, "waited %ld\n", n_waited);
	return 0;
}
