/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock MS: for that time reads the clock as often as it can, which takes no system call.
 */
#include <stdlib.h>
#include <time.h>

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long end = now_ms() + (argc > 1 ? atol(argv[1]) : 100);

	while (now_ms() < end)
		;
	return 0;
}
