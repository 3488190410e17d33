/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never waits: for samples of the running program, and threads that are preempted anywhere. It calls
 * its own functions, libm, the vdso, qsort, and functions of libraries through lazily bound PLT entries.
 *
 *	spin [MS [THREADS]]
 *
 * Prints `path FUNCTION…` for each call chain in which functions of libraries may be called, innermost first,
 * and the record of record.h. In a sample, functions of the program are the end of a path; all of it where
 * the innermost frame is a library's.
 */
#define _GNU_SOURCE
#include "record.h"
#include <ctype.h>
#include <math.h>
#include <pthread.h>

static int64_t end_ns;

STAYS double k_math(int n)
{
	double sum = 0;

	for (int i = 1; i <= n; i++)
		sum += sin(i) * pow(1.0001, i) + log1p(i);
	return sum;
}

STAYS int64_t k_clock(int n)
{
	int64_t last = 0;

	for (int i = 0; i < n; i++)
		last ^= read_known_clock(CLOCK_MONOTONIC);
	return last;
}

STAYS int k_compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

STAYS int k_sort(unsigned seed)
{
	int numbers[200];

	for (int i = 0; i < 200; i++)
		numbers[i] = (int)(seed = seed * 1664525 + 1013904223);
	qsort(numbers, 200, sizeof(*numbers), k_compare);
	return numbers[0];
}

STAYS int k_plt(int n)
{
	char text[64];
	int sum = 0;

	for (int i = 0; i < n; i++) {
		memset(text, i, sizeof(text));
		sum += snprintf(text, sizeof(text), "%d %x", i, i) + toupper(i) + abs(i);
		sum += (int)strtol(text, NULL, 10) + (int)strlen(text);
	}
	return sum;
}

STAYS long k_own(long n, int depth)
{
	long sum = n;

	if (depth > 0)
		sum += k_own(n + 1, depth - 1);
	for (int i = 0; i < 20; i++)
		sum = sum * 31 + i;
	NOT_LAST();
	return sum;
}

STAYS long k_round(unsigned n)
{
	long sum = k_own(n, 9);

	sum += (long)k_math(200);
	sum += k_clock(200);
	sum += k_sort(n);
	sum += k_plt(50);
	NOT_LAST();
	return sum;
}

STAYS void *k_spin(void *unused)
{
	volatile long sum = 0;

	expect("end of a spinning thread", "k_spin");
	AT_SITE((void)0);
	for (unsigned n = 0; read_known_clock(CLOCK_MONOTONIC) < end_ns; n++)
		sum += k_round(n);
	return unused;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? strtol(argv[1], NULL, 10) : 500;
	int n_threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[16];
	void *warm_up[4];

	backtrace(warm_up, 4);
	START_SITE("", "main");
	n_threads = n_threads < 1 || n_threads > 16 ? 1 : n_threads;
	end_ns = read_known_clock(CLOCK_MONOTONIC) + ms * 1000000;
	for (int i = 1; i < n_threads; i++)
		pthread_create(&threads[i], NULL, k_spin, NULL);
	k_spin(NULL);
	for (int i = 1; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	printf("path k_math k_round k_spin\npath k_clock k_round k_spin\npath k_compare k_sort k_round k_spin\n"
	       "path k_sort k_round k_spin\npath k_plt k_round k_spin\n"
	       "path k_own k_own k_own k_own k_own k_own k_own k_own k_own k_own k_round k_spin\n"
	       "path k_spin\n");
	print_record();
	return 0;
}
