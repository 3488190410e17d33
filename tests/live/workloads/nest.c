/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in calls, which measure what they spin themselves.
 *
 *	nest ROUNDS NS	ROUNDS times: outer_call spins for NS and calls inner_call (NS / 2) twice,
 *			deep_call (NS / 4), which calls itself twice, and leave_call (NS / 4), which
 *			calls jump_call, which is left by longjmp at once.
 *			Prints "measured FUNCTION NS" for each
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

static long outer, inner, deep, leave;
static jmp_buf base;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void spin(long *sum, long ns)
{
	long start = now_ns(), now;

	do
		now = now_ns();
	while (now - start < ns);
	*sum += now - start;
}

NOINLINE void inner_call(long ns)
{
	spin(&inner, ns);
}

NOINLINE void deep_call(long ns, int n)
{
	spin(&deep, ns);
	if (n > 0)
		deep_call(ns, n - 1);
	__asm__ volatile("" ::: "memory");
}

NOINLINE void jump_call(void)
{
	longjmp(base, 1);
}

NOINLINE void leave_call(long ns)
{
	if (!setjmp(base))
		jump_call();
	spin(&leave, ns);
}

NOINLINE void wait_call(void)
{
	for (;;)
		pause();
}

NOINLINE void outer_call(long ns, int waits)
{
	inner_call(ns / 2);
	if (waits)
		wait_call();
	spin(&outer, ns);
	inner_call(ns / 2);
	deep_call(ns / 4, 2);
	leave_call(ns / 4);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "wait") == 0)
		outer_call(1000000, 1);
	if (argc != 3)
		return 2;
	for (long i = 0, n = atol(argv[1]); i < n; i++)
		outer_call(atol(argv[2]), 0);
	printf("measured outer_call %ld\nmeasured inner_call %ld\nmeasured deep_call %ld\n"
	       "measured leave_call %ld\n",
	       outer, inner, deep, leave);
	return 0;
}
