/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaves HOW: calls that never return. A thread calls outer(), which calls inner() twice: the first call
 * takes 2 ms, the second ends the thread after 2 ms. Then main() calls outer() in the same way. HOW the
 * second call of inner() ends in main's thread:
 *	exit	exit(0)
 *	exec	the process begins /bin/true
 *	abort	a signal ends it
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE void inner(const char *how);
NOINLINE void outer(const char *how);

NOINLINE void inner(const char *how)
{
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	if (strcmp(how, "thread") == 0)
		pthread_exit(NULL);
	if (strcmp(how, "exit") == 0)
		exit(0);
	if (strcmp(how, "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
	if (strcmp(how, "abort") == 0)
		abort();
	__asm__ volatile("" ::: "memory");
}

NOINLINE void outer(const char *how)
{
	inner("return");
	inner(how);
	__asm__ volatile("" ::: "memory");
}

static void *run(void *arg)
{
	outer("thread");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		return 1;
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	outer(argv[1]);
	return 0;
}
