/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loads N: calls of_library() of libufunc_library.so N times.
 */
#include <stdlib.h>

long of_library(long n);

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10, sum = 0;

	for (long i = 0; i < n; i++)
		sum += of_library(i);
	return sum < 0;
}
