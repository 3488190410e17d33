/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that is found only by $ORIGIN, for tests/live/ufunc.test.
 */
long of_library(long n);

__attribute__((noinline)) long of_library(long n)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	return n * 2;
}
