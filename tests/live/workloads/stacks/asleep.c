/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that sleep from the beginning to the end, at most a minute, each in another way and three
 * calls deep: down3_X calls down2_X, which calls down1_X.
 *
 *	asleep		five threads
 *	asleep pause	the first is in pause() until SIGUSR2 comes
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
/* Something to do after the call, so that it is none at the end of a function. */
#define AFTER() __asm__ volatile("" ::: "memory")

enum { SECONDS = 60 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static uint32_t word;
static volatile int is_done;

static void wait_nanosleep(void)
{
	struct timespec t = {.tv_sec = SECONDS};

	nanosleep(&t, NULL);
}

static void wait_poll(void)
{
	poll(NULL, 0, SECONDS * 1000);
}

static void wait_cond(void)
{
	pthread_mutex_lock(&mutex);
	while (!is_done)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void wait_futex(void)
{
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void wait_pause(void)
{
	pause();
}

static void ignore(int number)
{
	(void)number;
}

NOINLINE static void handler(int number)
{
	(void)number;
	wait_poll();
	AFTER();
}

static void wait_signal(void)
{
	raise(SIGUSR1); /* it interrupts a system call of this thread */
}

/* Frames of different sizes: with an array of variable length, and with one on a realigned stack. */
#define WAIT(what)                                            \
	NOINLINE static void down1_##what(void)               \
	{                                                     \
		wait_##what();                                \
		AFTER();                                      \
	}                                                     \
	NOINLINE static void down2_##what(int n)              \
	{                                                     \
		char bytes[n];                                \
                                                              \
		memset(bytes, 1, (size_t)n);                  \
		__asm__ volatile("" ::"r"(bytes) : "memory"); \
		down1_##what();                               \
		AFTER();                                      \
	}                                                     \
	NOINLINE static void down3_##what(void)               \
	{                                                     \
		_Alignas(64) char bytes[700];                 \
                                                              \
		memset(bytes, 1, sizeof(bytes));              \
		__asm__ volatile("" ::"r"(bytes) : "memory"); \
		down2_##what(100);                            \
		AFTER();                                      \
	}                                                     \
	NOINLINE static void *thread_##what(void *arg)        \
	{                                                     \
		down3_##what();                               \
		AFTER();                                      \
		return arg;                                   \
	}

WAIT(poll)
WAIT(cond)
WAIT(futex)
WAIT(signal)
WAIT(nanosleep)
WAIT(pause)

int main(int argc, char **argv)
{
	static void *(*const threads[])(void *) = {thread_poll, thread_cond, thread_futex,
						   thread_signal};

	(void)argv;
	signal(SIGUSR1, handler);
	signal(SIGUSR2, ignore);
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, threads[i], NULL))
			return 1;
	}
	if (argc > 1)
		thread_pause(NULL);
	thread_nanosleep(NULL);
	return 0;
}
