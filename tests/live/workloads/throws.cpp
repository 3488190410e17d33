/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throws N: an exception leaves two functions, N times.
 * throws N MS: in addition all of them return once, MS milliseconds later, each time.
 * throws N MS stay: in addition they are left once more at the end, and the program sleeps for a minute.
 * Prints the sum of outer's results, and the longest of its calls in nanoseconds.
 *
 *	outer calls middle, which calls thrower, which throws; outer catches, and returns.
 *	calm is called by outer once a round, and returns.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

extern "C" {
__attribute__((noinline)) int calm(int x);
__attribute__((noinline)) int thrower(int x);
__attribute__((noinline)) int middle(int x);
__attribute__((noinline)) int outer(int x);
}

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define HAVE_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

int calm(int x)
{
	HAVE_FRAME();
	return x + 1;
}

int thrower(int x)
{
	HAVE_FRAME();
	if (x >= 0)
		throw x;
	return 0;
}

int middle(int x)
{
	HAVE_FRAME();
	return thrower(x) + 1;
}

int outer(int x)
{
	try {
		return middle(x) + calm(x);
	} catch (int thrown) {
		return calm(thrown);
	}
}

static long longest;

ALWAYS_INLINE long now_ns()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

ALWAYS_INLINE int timed_outer(int x)
{
	long start = now_ns();
	int result = outer(x);
	long took = now_ns() - start;

	longest = took > longest ? took : longest;
	return result;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < n; i++) {
		sum += timed_outer(i);
		if (argc < 3)
			continue;
		usleep(1000 * (useconds_t)atoi(argv[2]));
		timed_outer(-1 - i);
	}
	if (argc > 3) {
		outer(0);
		sleep(60);
	}
	printf("%d\nlongest %ld\n", sum, longest);
	return 0;
}
