/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief N [PAUSE_US [STEPS]]: calls of functions that take a fraction of a microsecond with 300
 * steps, N times each:
 *	brief()		computes
 *	nest(10)	computes and calls itself, 10 calls in all
 *	around()	calls brief() ten times
 * It prints a line `NAME NS` for each: the median time of a call of a function with the same
 * code and another name, which is not probed. Those are called between the others, in 101 rounds,
 * with a pause behind each round, because the speed of a machine changes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define HAVE_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

enum { DEPTH = 10, STEPS = 300, TIMES = 100, ROUNDS = 101 };

static long steps = STEPS;
static uint64_t times = TIMES; /* calls that are timed together; long ones would be interrupted */

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
		compute(steps);                      \
	}                                            \
	NOINLINE long nest(long depth)               \
	{                                            \
		long inner = 0;                      \
                                                     \
		HAVE_FRAME();                        \
		compute(steps);                      \
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

struct measured {
	const char *name;
	void (*code)(void), (*twin)(void);
	uint64_t ns[ROUNDS];
};

static struct measured all[] = {
	{.name = "brief", .code = brief, .twin = brief_twin},
	{.name = "nest", .code = call_nest, .twin = call_nest_twin},
	{.name = "around", .code = around, .twin = around_twin},
};

enum { NAMES = sizeof(all) / sizeof(*all) };

static void run_round(struct measured *m, int round, long n)
{
	uint64_t begin = now();

	for (uint64_t i = 0; i < times; i++)
		m->twin();
	m->ns[round] = (now() - begin) / times;
	for (long i = n * round / ROUNDS; i < n * (round + 1) / ROUNDS; i++)
		m->code();
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	long pause_us = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	steps = argc > 3 ? strtol(argv[3], NULL, 10) : steps;
	times = TIMES * STEPS / (uint64_t)steps ?: 1;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < NAMES; i++)
			run_round(&all[i], round, n);
		if (pause_us)
			usleep((useconds_t)pause_us);
	}
	for (int i = 0; i < NAMES; i++) {
		qsort(all[i].ns, ROUNDS, sizeof(*all[i].ns), compare);
		printf("%s %llu\n", all[i].name, (unsigned long long)all[i].ns[ROUNDS / 2]);
	}
	return 0;
}
