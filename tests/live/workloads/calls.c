/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls and system calls with known spans, for tests/live/spans.test. Each mode prints what it did.
 * The traced function is `call(n)`, which returns n.
 *
 *   calls spin N NS            call(i) spins for NS, N times; prints the sum of its own measurements,
 *                              and the total as measured by the caller
 *   calls burn N NS            the same in CPU time of the thread: independent of the load
 *   calls recurse DEPTH THREADS ROUNDS
 *                              every thread goes DEPTH calls deep, ROUNDS times
 *   calls jump ROUNDS          5 nested calls left by longjmp, then one that returns
 *   calls die THREADS          threads that end inside call(), one after the other; then one call
 *   calls tail N               tail(n) ends in a tail call of call(n)
 *   calls restart              a read that a signal interrupts after 60 ms and that is restarted for 90 ms;
 *                              prints the time until the signal's handler, and the time after it
 *   calls fork N               N forks
 *   calls sleep N MS           N times nanosleep(MS); prints the sum of its own measurements
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JUMP_DEPTH = 5 };

static long spin_ns, measured_ns;
static clockid_t spin_clock = CLOCK_MONOTONIC;
static __thread long depth_left;
static __thread int end_here, jump_here;
static jmp_buf base;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(spin_clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

long call(long n);
long tail(long n);

__attribute__((noinline)) long call(long n)
{
	long start = spin_ns ? now_ns() : 0;

	while (spin_ns && now_ns() - start < spin_ns)
		;
	if (spin_ns)
		measured_ns += now_ns() - start;
	if (--depth_left > 0)
		call(n + 1);
	else if (jump_here)
		longjmp(base, 1);
	else if (end_here)
		syscall(SYS_exit, 0);
	__asm__ volatile("" ::: "memory");
	return n;
}

__attribute__((noinline, optimize("O2"))) long tail(long n)
{
	__asm__ volatile("");
	return call(n);
}

static void spin(long n, long ns)
{
	long within = 0;

	spin_ns = ns;
	for (long i = 0; i < n; i++) {
		long start = now_ns();

		call(i);
		within += now_ns() - start;
	}
	printf("measured %ld\nwithin %ld\n", measured_ns, within);
}

static long depth, rounds;

static void *recurse(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		depth_left = depth;
		call((long)arg * 1000000);
	}
	return NULL;
}

static void *die(void *arg)
{
	end_here = 1;
	depth_left = 2;
	call((long)arg);
	return NULL;
}

static void each_thread(void *(*fn)(void *), long n, int at_once)
{
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));

	for (long i = 0; i < n; i++) {
		pthread_create(&threads[i], NULL, fn, (void *)i);
		if (!at_once)
			pthread_join(threads[i], NULL);
	}
	for (long i = 0; at_once && i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void jump(long n)
{
	for (volatile long i = 0; i < n; i++) {
		depth_left = JUMP_DEPTH;
		jump_here = 1;
		if (!setjmp(base))
			call(i);
		jump_here = 0;
		depth_left = 0;
		call(1000 + i);
	}
}

static volatile long alarm_ns;

static void on_alarm(int sig)
{
	(void)sig;
	alarm_ns = now_ns();
}

static void restart(void)
{
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_value.tv_usec = 60000};
	long start, end;
	ssize_t got;
	int fds[2];
	char c;

	if (pipe(fds))
		exit(1);
	if (fork() == 0) {
		close(fds[0]);
		usleep(150000);
		_exit(write(fds[1], "x", 1) != 1);
	}
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	dup2(fds[0], 77);
	start = now_ns();
	got = read(77, &c, 1);
	end = now_ns();
	printf("read %zd before %ld after %ld\n", got, alarm_ns - start, end - alarm_ns);
	wait(NULL);
}

static void forks(long n)
{
	for (long i = 0; i < n; i++) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
}

static void sleeps(long n, long ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	for (long i = 0; i < n; i++) {
		long start = now_ns();

		syscall(SYS_nanosleep, &pause, NULL);
		measured_ns += now_ns() - start;
	}
	printf("measured %ld\n", measured_ns);
}

static long number(char **argv, int i)
{
	return argv[i] ? strtol(argv[i], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "burn") == 0)
		spin_clock = CLOCK_THREAD_CPUTIME_ID;
	if ((strcmp(mode, "spin") == 0 || strcmp(mode, "burn") == 0) && argc > 3)
		spin(number(argv, 2), number(argv, 3));
	else if (strcmp(mode, "recurse") == 0 && argc > 4) {
		depth = number(argv, 2);
		rounds = number(argv, 4);
		each_thread(recurse, number(argv, 3), 1);
	} else if (strcmp(mode, "jump") == 0 && argc > 2)
		jump(number(argv, 2));
	else if (strcmp(mode, "die") == 0 && argc > 2) {
		each_thread(die, number(argv, 2), 0);
		call(7);
	} else if (strcmp(mode, "tail") == 0 && argc > 2) {
		for (long i = 0; i < number(argv, 2); i++)
			tail(i);
	} else if (strcmp(mode, "restart") == 0)
		restart();
	else if (strcmp(mode, "fork") == 0 && argc > 2)
		forks(number(argv, 2));
	else if (strcmp(mode, "sleep") == 0 && argc > 3)
		sleeps(number(argv, 2), number(argv, 3));
	else
		return 2;
	return 0;
}
