/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in calls, which measure bounds of their own times: at least what they spin; at most the
 * time around their calls, minus that from the first to the last line of the calls in them.
 *
 *	nest ROUNDS NS	ROUNDS times: outer_call spins for NS and calls inner_call (NS / 2) twice,
 *			deep_call (NS / 4), which calls itself twice, and leave_call (NS / 4), which
 *			calls jump_call, which is left by longjmp at once.
 *			Prints "measured FUNCTION NS to NS" for each
 *	nest wait	outer_call calls inner_call and wait_call, which waits for ever
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

void outer_call(long ns, int waits);
void inner_call(long ns);
void deep_call(long ns, int n);
void leave_call(long ns);
void jump_call(void);
void wait_call(void);

static struct own {
	long spun, within;
} outer, inner, deep, leave;
static jmp_buf base;

enum { DEEPER = 2 };

#define CALL(own, call)                             \
	do {                                        \
		long called = now_ns();             \
                                                    \
		call;                               \
		(own)->within += now_ns() - called; \
	} while (0)

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void spin(struct own *own, long ns)
{
	long start = now_ns(), now;

	do
		now = now_ns();
	while (now - start < ns);
	own->spun += now - start;
}

NOINLINE void inner_call(long ns)
{
	long start = now_ns();

	spin(&inner, ns);
	outer.within -= now_ns() - start;
}

NOINLINE void deep_call(long ns, int n)
{
	long start = now_ns();

	spin(&deep, ns);
	if (n > 0)
		CALL(&deep, deep_call(ns, n - 1));
	(n == DEEPER ? &outer : &deep)->within -= now_ns() - start;
}

NOINLINE void jump_call(void)
{
	longjmp(base, 1);
}

NOINLINE void leave_call(long ns)
{
	volatile long start = now_ns();

	if (!setjmp(base))
		jump_call();
	spin(&leave, ns);
	outer.within -= now_ns() - start;
}

NOINLINE void wait_call(void)
{
	for (;;)
		pause();
}

NOINLINE void outer_call(long ns, int waits)
{
	CALL(&inner, inner_call(ns / 2));
	if (waits)
		wait_call();
	spin(&outer, ns);
	CALL(&inner, inner_call(ns / 2));
	CALL(&deep, deep_call(ns / 4, DEEPER));
	CALL(&leave, leave_call(ns / 4));
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "wait") == 0)
		outer_call(1000000, 1);
	if (argc != 3)
		return 2;
	for (long i = 0, n = atol(argv[1]); i < n; i++)
		CALL(&outer, outer_call(atol(argv[2]), 0));
	printf("measured outer_call %ld to %ld\nmeasured inner_call %ld to %ld\n"
	       "measured deep_call %ld to %ld\nmeasured leave_call %ld to %ld\n",
	       outer.spun, outer.within, inner.spun, inner.within, deep.spun, deep.within,
	       leave.spun, leave.within);
	return 0;
}
