/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions with known arguments: strings of 5, 199 and 299 bytes, an invalid address, ten numbers,
 * functions. Three rounds of each.
 *
 *   texts DEPTH   DEPTH nested calls of deep(text): the first one gets a string of 99 bytes, each
 *                 other one a byte less
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static long take_many(long a, long b, long c, long d, long e, long f,
						long g, long h, long i, long j)
{
	__asm__ volatile("" ::: "memory");
	return a + b + c + d + e + f + g + h + i + j;
}

__attribute__((noinline)) static void take_text(const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
}

__attribute__((noinline)) static void deep(const char *text, long n)
{
	if (n > 1)
		deep(text + 1, n - 1);
	__asm__ volatile("" ::"r"(text) : "memory");
}

static int table[4] = {1, 2, 3, 4};
static long cleared;

/* With a frame: the kernel finds the caller at an entry that begins with a push. */
__attribute__((noinline)) static void take_point(void *point)
{
	void *volatile kept = point;

	__asm__ volatile("" ::"r"(kept) : "memory");
}

int main(int argc, char **argv)
{
	static char five[8], most[200], more[300];
	long sum = 0;

	if (argc > 1) {
		memset(most, 'd', 99);
		deep(most, atol(argv[1]));
		return 0;
	}
	strcpy(five, "hello");
	memset(most, 'm', sizeof(most) - 1);
	memset(more, 'x', sizeof(more) - 1);
	for (int i = 0; i < 3; i++) {
		sum += take_many(1, 2, 3, 4, 5, 6, 70, 80, 90, 100);
		take_text(five);
		take_text(most);
		take_text(more);
		take_text((const char *)1);
	}
	take_point((void *)take_many);
	take_point((void *)take_many);
	take_point((void *)main);
	take_point(&table[1]);
	take_point(&cleared);
	take_point(&stderr);
	return sum != 3 * 361;
}
