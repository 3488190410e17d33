/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions called a known number of times with known arguments and results, for uprobes.
 *
 *	function_demo N [MS]
 *
 * Waits MS milliseconds first (0), or until SIGUSR1, then calls
 *	add_six(1, 2, 3, 4, 5, i)   N times from first_caller, 2 N times from second_caller; the
 *				    result is 15 + i, i = 0, 1, …
 *	negate(i)		    N times; the result is -i
 *	recurse(5)		    once: 6 calls, the innermost result is 0, each outer one 1 more
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

/* A function that uses its frame address has a frame even if it calls nothing. It begins with
 * `push`, so the kernel (6.12 or later) finds the caller when the function is probed at its
 * entry. */
#define HAVE_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

NOINLINE long add_six(long a, long b, long c, long d, long e, long f);
NOINLINE int negate(int x);
NOINLINE long recurse(long n);
NOINLINE long first_caller(long n);
NOINLINE long second_caller(long n);

NOINLINE long add_six(long a, long b, long c, long d, long e, long f)
{
	HAVE_FRAME();
	return a + b + c + d + e + f;
}

NOINLINE int negate(int x)
{
	HAVE_FRAME();
	return -x;
}

NOINLINE long recurse(long n)
{
	HAVE_FRAME();
	return n > 0 ? recurse(n - 1) + 1 : 0;
}

NOINLINE long first_caller(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += add_six(1, 2, 3, 4, 5, i);
	return sum;
}

NOINLINE long second_caller(long n)
{
	long sum = 0;

	for (long i = 0; i < 2 * n; i++)
		sum += add_six(1, 2, 3, 4, 5, i);
	return sum;
}

static void wake(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	long ms = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	long sum = 0;

	signal(SIGUSR1, wake);
	nanosleep(&pause, NULL);
	sum += first_caller(n) + second_caller(n);
	for (int i = 0; i < n; i++)
		sum += negate(i);
	sum += recurse(5);
	printf("%ld\n", sum);
	return 0;
}
