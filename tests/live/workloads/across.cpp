/* SPDX-License-Identifier: Apache-2.0 */
/*
 * across N: an exception leaves qsort() of the C library, N times; prints how many were caught.
 * across jump N: longjmp leaves it, N times; prints how often.
 */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static jmp_buf base;

extern "C" __attribute__((noinline)) int thrower(const void *, const void *)
{
	throw 1;
}

extern "C" __attribute__((noinline)) int jumper(const void *, const void *)
{
	longjmp(base, 1);
}

extern "C" __attribute__((noinline)) int catcher(int (*compare)(const void *, const void *))
{
	int numbers[] = {3, 2, 1};

	try {
		qsort(numbers, 3, sizeof(*numbers), compare);
	} catch (int x) {
		return x;
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool jumps = argc > 2 && strcmp(argv[1], "jump") == 0;
	int n = argc > 1 ? atoi(argv[argc - 1]) : 1;
	volatile int caught = 0;

	for (volatile int i = 0; i < n; i++) {
		if (!jumps)
			caught = caught + catcher(thrower);
		else if (setjmp(base))
			caught = caught + 1;
		else
			catcher(jumper);
	}
	printf("caught %d\n", caught);
	return 0;
}
