/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of several functions at one stack pointer: some follow a call that was left by longjmp, some
 * are tail calls of the previous function. hop_* are the traced functions.
 *
 *	hops jump N		N times: hop_leaves is left by longjmp; from the same place hop_returns is
 *				called, which returns
 *	hops elsewhere N	the same from another place
 *	hops chain N		N times: hop_head jumps to hop_middle, that to hop_tail, which returns
 *	hops both N		N times: hop_leaves is left, then the chain, in which hop_tail is left, then
 *				the chain again
 *	hops turns N DEPTH	N times: hop_even and hop_odd jump to each other DEPTH times
 *	hops deep N DEPTH	N times: hop_ping and hop_pong call each other, DEPTH deep
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define JUMPS __attribute__((noinline, optimize("O2"))) /* its last call is a tail call */
#define NOT_PURE() __asm__ volatile("" ::: "memory")

static jmp_buf base;
static int is_tail_left;

void hop_leaves(long n);
void hop_returns(long n);
void hop_tail(long n);
void hop_middle(long n);
void hop_head(long n);
void hop_even(long n);
void hop_odd(long n);
long hop_ping(long n);
long hop_pong(long n);

NOINLINE void hop_leaves(long n)
{
	NOT_PURE();
	longjmp(base, (int)n + 1);
}

NOINLINE void hop_returns(long n)
{
	__asm__ volatile("" : "+r"(n)::"memory");
}

NOINLINE void hop_tail(long n)
{
	if (is_tail_left)
		longjmp(base, (int)n + 1);
}

JUMPS void hop_middle(long n)
{
	NOT_PURE();
	hop_tail(n);
}

JUMPS void hop_head(long n)
{
	NOT_PURE();
	hop_middle(n);
}

JUMPS void hop_odd(long n)
{
	NOT_PURE();
	if (n > 0)
		hop_even(n - 1);
}

JUMPS void hop_even(long n)
{
	NOT_PURE();
	if (n > 0)
		hop_odd(n - 1);
}

NOINLINE long hop_pong(long n)
{
	NOT_PURE();
	return n > 0 ? hop_ping(n - 1) + 1 : 0;
}

NOINLINE long hop_ping(long n)
{
	NOT_PURE();
	return n > 0 ? hop_pong(n - 1) + 1 : 0;
}

/* All from one instruction, so with one stack pointer and one return address. */
static NOINLINE void call_each(void (*const *functions)(long), int n)
{
	for (volatile int i = 0; i < n; i++)
		if (!setjmp(base))
			functions[i](i);
}

static NOINLINE void call_elsewhere(void)
{
	if (!setjmp(base))
		hop_leaves(0);
	hop_returns(0);
}

static void both(void)
{
	static void (*const left[])(long) = {hop_leaves, hop_head};
	static void (*const whole[])(long) = {hop_head};

	is_tail_left = 1;
	call_each(left, 2);
	is_tail_left = 0;
	call_each(whole, 1);
}

static int once(const char *mode, long depth)
{
	static void (*const jump[])(long) = {hop_leaves, hop_returns};

	if (strcmp(mode, "jump") == 0)
		call_each(jump, 2);
	else if (strcmp(mode, "elsewhere") == 0)
		call_elsewhere();
	else if (strcmp(mode, "chain") == 0)
		hop_head(0);
	else if (strcmp(mode, "both") == 0)
		both();
	else if (strcmp(mode, "turns") == 0)
		hop_even(depth);
	else if (strcmp(mode, "deep") == 0)
		hop_ping(depth);
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	long depth = argc > 3 ? strtol(argv[3], NULL, 10) : 0;

	for (long i = 0; i < n; i++)
		if (once(argv[1], depth))
			return 2;
	return n ? 0 : 2;
}
