/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that do not end: stay(3) calls stay(2), which calls stay(1), which reads from a pipe that
 * nobody writes to, for at most a minute. Meanwhile a second thread sleeps. Before that: three
 * calls that end.
 */
#include <pthread.h>
#include <unistd.h>

static int pipe_fds[2];

__attribute__((noinline)) static int pass(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

__attribute__((noinline)) static int stay(int n)
{
	char byte;
	int left;

	if (n > 1)
		left = stay(n - 1);
	else
		left = (int)read(pipe_fds[0], &byte, 1);
	return left + pass(n);
}

static void *sleep_long(void *arg)
{
	sleep(60);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pipe(pipe_fds) || pthread_create(&thread, NULL, sleep_long, NULL))
		return 1;
	alarm(60);
	for (int i = 0; i < 3; i++)
		pass(i);
	return stay(3);
}
