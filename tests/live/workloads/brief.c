/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief N: calls of functions that take a fraction of a microsecond, N times each:
 *	brief()		computes
 *	nest(10)	computes and calls itself, 10 calls in all
 *	around()	calls brief() ten times
 * It prints a line `NAME NS` for each first: the median time of a call of a function with the same
 * code and another name, which is not probed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
#define HAVE_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

enum { STEPS = 300, DEPTH = 10, TIMES = 100, SAMPLES = 101 };

static inline __attribute__((always_inline)) void compute(long n)
{
	while (n-- > 0)
		__asm__ volatile("" : "+r"(n));
}

/* Both copies of each function. */
#define FUNCTIONS(brief, nest, around)               \
	NOINLINE void brief(void);                   \
	NOINLINE long nest(long depth);              \
	NOINLINE void around(void);                  \
	NOINLINE void brief(void)                    \
	{                                            \
		HAVE_FRAME();                        \
		compute(STEPS);                      \
	}                                            \
	NOINLINE long nest(long depth)               \
	{                                            \
		long inner = 0;                      \
                                                     \
		HAVE_FRAME();                        \
		compute(STEPS);                      \
		if (depth > 1)                       \
			inner = nest(depth - 1);     \
		__asm__ volatile("" : "+r"(inner));  \
		return inner + 1;                    \
	}                                            \
	NOINLINE void around(void)                   \
	{                                            \
		HAVE_FRAME();                        \
		for (int i = 0; i < DEPTH; i++)      \
			brief();                     \
		__asm__ volatile("" : : : "memory"); \
	}

FUNCTIONS(brief, nest, around)
FUNCTIONS(brief_twin, nest_twin, around_twin)

static void call_nest(void)
{
	nest(DEPTH);
}

static void call_nest_twin(void)
{
	nest_twin(DEPTH);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void measure(const char *name, void (*code)(void))
{
	uint64_t ns[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		uint64_t begin = now();

		for (int j = 0; j < TIMES; j++)
			code();
		ns[i] = (now() - begin) / TIMES;
	}
	qsort(ns, SAMPLES, sizeof(*ns), compare);
	printf("%s %llu\n", name, (unsigned long long)ns[SAMPLES / 2]);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;

	measure("brief", brief_twin);
	measure("nest", call_nest_twin);
	measure("around", around_twin);
	for (long i = 0; i < n; i++)
		brief();
	for (long i = 0; i < n; i++)
		call_nest();
	for (long i = 0; i < n; i++)
		around();
	return 0;
}
