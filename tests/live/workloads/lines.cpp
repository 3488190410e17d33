/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines: calls point() from functions that are inlined, on lines with known numbers, and at last one
 * that never returns, leave(), from the end of a function.
 */
#include <cstdlib>

#line 100 "lines.cpp"
extern "C" __attribute__((noinline)) void point(int i)
{
	volatile int kept = i;

	__asm__ volatile("" ::"r"(kept) : "memory");
}

#line 200 "lines.cpp"
extern "C" __attribute__((noinline, noreturn)) void leave(int status)
{
	volatile int kept = status;

	__asm__ volatile("" ::"r"(kept) : "memory");
	exit(status);
}

namespace shop {

struct Till {
	int sum = 0;

	__attribute__((always_inline)) inline void add(int price)
	{
		sum += price;
#line 1000 "till.h"
		point(sum);
	}
};

template <class T> __attribute__((always_inline)) inline void fill(T &till, int n)
{
	for (int i = 0; i < n; i++)
#line 2000 "fill.h"
		till.add(i);
}

} // namespace shop

/* The call is its last instruction. */
extern "C" __attribute__((noinline)) void finish(int status)
{
#line 3000 "lines.cpp"
	leave(status);
}

extern "C" __attribute__((noinline)) void after_finish(int n)
{
	point(n);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void work(int n)
{
	shop::Till till;

#line 4000 "lines.cpp"
	shop::fill(till, n);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **)
{
#line 5000 "lines.cpp"
	work(10);
	if (argc > 5)
		after_finish(argc);
#line 6000 "lines.cpp"
	finish(0);
}
