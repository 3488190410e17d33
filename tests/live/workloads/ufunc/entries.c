/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose first instructions differ, for tests/live/ufunc.test; compiled with and without
 * -fcf-protection=full (endbr64 at each entry).
 *
 *   entries N		N times: plain_push(i), which returns i + 1; saver(i), which returns i + 2; leaf(i),
 *			which returns i + 3; looper(3), which jumps back behind its endbr64 twice; switcher(i);
 *			colder(i), which jumps to its .cold part every tenth time and back; recurse(3);
 *			rust::work(i) and rust::rest(i), by mangled names
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEPT __attribute__((noinline, noclone))
#define HERE() __asm__ volatile("" ::: "memory")
#define HAVE_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

long plain_push(long i);
long saver(long i);
long leaf(long i);
long looper(long i);
long switcher(long i);
long colder(long i);
long recurse(long n);
long rust_work(long i) __asm__("_ZN4rust4work17h05af221e174051e9E");
long rust_rest(long i) __asm__("_RNvC4rust4rest");

KEPT long plain_push(long i)
{
	HAVE_FRAME();
	return i + 1;
}

KEPT long saver(long i)
{
	__asm__ volatile("" ::: "rbx", "r15");
	return i + 2;
}

KEPT long leaf(long i)
{
	HERE();
	return i + 3;
}

#if defined(__CET__)
#define ENDBR "endbr64\n"
#else
#define ENDBR ""
#endif

/* The instruction behind endbr64 runs three times a call: a probe there would count wrongly. */
__asm__(".text\n.globl looper\n.type looper, @function\nlooper:\n" ENDBR "1:	push %rdi\n"
	"	pop %rax\n"
	"	dec %rdi\n"
	"	jnz 1b\n"
	"	ret\n"
	".size looper, . - looper\n");

KEPT long switcher(long i)
{
	HAVE_FRAME();
	switch (i % 8) {
	case 0: HERE(); return i * 3;
	case 1: HERE(); return i ^ 5;
	case 2: HERE(); return i << 2;
	case 3: HERE(); return i - 9;
	case 4: HERE(); return i | 64;
	case 5: HERE(); return ~i;
	case 6: HERE(); return i / 3;
	default: HERE(); return 1;
	}
}

/* The .cold part jumps back behind the endbr64. Written by hand, since no compiler does that
 * today. */
__asm__(".text\n.globl colder\n.type colder, @function\ncolder:\n" ENDBR "1:	push %rbp\n"
	"	pop %rbp\n"
	"	test %rdi, %rdi\n"
	"	jz colder.cold\n"
	"	mov %rdi, %rax\n"
	"	ret\n"
	".size colder, . - colder\n"
	".section .text.unlikely, \"ax\"\n.type colder.cold, @function\ncolder.cold:\n"
	"	inc %rdi\n"
	"	jmp 1b\n"
	".size colder.cold, . - colder.cold\n.text\n");

KEPT long recurse(long n)
{
	long r;

	HAVE_FRAME();
	r = n > 0 ? recurse(n - 1) + 1 : 0;
	__asm__ volatile("" : "+r"(r)); /* keeps the compiler from making it a loop */
	return r;
}

KEPT long rust_work(long i)
{
	HAVE_FRAME();
	return i + 7;
}

KEPT long rust_rest(long i)
{
	HAVE_FRAME();
	return i + 8;
}

static long ns_since(const struct timespec *start)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec - start->tv_sec) * 1000000000L + t.tv_nsec - start->tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10, sum = 0;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long i = 0; i < n; i++) {
		sum += plain_push(i) + saver(i) + leaf(i) + looper(3) + switcher(i);
		sum += colder(i % 10) + recurse(3) + rust_work(i) + rust_rest(i);
	}
	if (argc > 2) /* alone, to measure what a hit costs */
		for (long i = 0; i < 100 * n; i++)
			sum += saver(i);
	fprintf(stderr, "sum %ld in %ld ns\n", sum, ns_since(&start));
	return 0;
}
