/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locks N: two threads create and remove N files each in one folder, so that they wait for its lock in the kernel.
 *
 * locks N MS: a thread holds a mutex N times for MS milliseconds, and another one waits for it each time. A third one
 * waits as often on a condition variable.
 *
 * Prints in nanoseconds what the waiting thread and the condition variable's waited, and how long the mutex was held:
 * "waited N NS", "signalled N NS", "held N NS".
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, ready_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t begin, held;
static int n, ms;
static volatile int round_done = -1;
static uint64_t waited, held_ns, signalled;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

PLACE static void holds_lock(void)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
	uint64_t since;

	pthread_mutex_lock(&lock);
	since = now();
	pthread_barrier_wait(&held);
	nanosleep(&t, NULL);
	held_ns += now() - since;
	pthread_mutex_unlock(&lock);
}

PLACE static void waits_for_lock(void)
{
	uint64_t since;

	pthread_barrier_wait(&held);
	since = now();
	pthread_mutex_lock(&lock);
	waited += now() - since;
	pthread_mutex_unlock(&lock);
}

PLACE static void waits_for_signal(int i)
{
	uint64_t since;

	pthread_mutex_lock(&ready_lock);
	since = now();
	while (round_done < i)
		pthread_cond_wait(&ready, &ready_lock);
	signalled += now() - since;
	pthread_mutex_unlock(&ready_lock);
}

PLACE static void signals(int i)
{
	pthread_mutex_lock(&ready_lock);
	round_done = i;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&ready_lock);
}

static void *run_holder(void *arg)
{
	for (int i = 0; i < n; i++) {
		pthread_barrier_wait(&begin);
		holds_lock();
		signals(i);
	}
	return arg;
}

static void *run_waiter(void *arg)
{
	for (int i = 0; i < n; i++) {
		pthread_barrier_wait(&begin);
		waits_for_lock();
	}
	return arg;
}

static void *run_listener(void *arg)
{
	for (int i = 0; i < n; i++) {
		pthread_barrier_wait(&begin);
		waits_for_signal(i);
	}
	return arg;
}

static void *create_files(void *name)
{
	for (int i = 0; i < n; i++) {
		close(open(name, O_CREAT | O_WRONLY, 0600));
		unlink(name);
	}
	return NULL;
}

static void contend_in_kernel(void)
{
	char names[2][8] = {"one", "two"};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, create_files, names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	void *(*const runs[])(void *) = {run_holder, run_waiter, run_listener};
	pthread_t threads[3];

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: locks N [MS]\n");
		return 1;
	}
	n = atoi(argv[1]);
	if (argc == 2) {
		contend_in_kernel();
		return 0;
	}
	ms = atoi(argv[2]);
	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&held, NULL, 2);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, runs[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("waited %d %llu\nsignalled %d %llu\nheld %d %llu\n", n, (unsigned long long)waited,
	       n, (unsigned long long)signalled, n, (unsigned long long)held_ns);
	return 0;
}
