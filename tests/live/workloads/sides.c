/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sides THREADS CALLS: threads that share one CPU and so preempt each other. Each calls point()
 * from left() or from right(), depending on its number. Each of the two callers has half of the
 * THREADS * CALLS hits.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

static int n_calls;

__attribute__((noinline)) static void point(int i)
{
	volatile int kept = i;

	__asm__ volatile("" ::"r"(kept) : "memory");
}

__attribute__((noinline)) static void left(void)
{
	for (int i = 0; i < n_calls; i++)
		point(i);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void right(void)
{
	for (int i = 0; i < n_calls; i++)
		point(-i);
	__asm__ volatile("" ::: "memory");
}

static void *run(void *side)
{
	if ((uintptr_t)side)
		right();
	else
		left();
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[64];
	cpu_set_t one;

	n_calls = argc > 2 ? atoi(argv[2]) : 1000;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i % 2));
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
