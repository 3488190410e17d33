/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nested functions for return probes: in a signal handler that interrupted one of them, on an alternate
 * stack, and after a longjmp out of some of them, whose return addresses stay in the kernel's list. They
 * wait in nanosleep(), called by k_leaf().
 *
 *	returns [ROUNDS [MS]]
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define STAYS __attribute__((noinline, noclone))
#define NOT_LAST() __asm__ volatile("" : : : "memory")

static long wait_ms = 10;
static jmp_buf left;

STAYS int k_leaf(void)
{
	struct timespec pause = {0, wait_ms * 1000000};

	nanosleep(&pause, NULL);
	NOT_LAST();
	return 1;
}

STAYS int k_nested(int depth)
{
	int sum = depth;

	sum += depth ? k_nested(depth - 1) : k_leaf();
	NOT_LAST();
	return sum;
}

STAYS void k_handler(int number)
{
	k_nested(number == SIGUSR1 ? 2 : 1);
	NOT_LAST();
}

STAYS int k_raise(int number)
{
	raise(number);
	NOT_LAST();
	return number;
}

STAYS void k_leave(int depth)
{
	if (depth > 0)
		k_leave(depth - 1);
	else if (!depth)
		longjmp(left, 1);
	NOT_LAST();
}

STAYS int k_return(void)
{
	if (!setjmp(left))
		k_leave(3);
	k_leaf();
	NOT_LAST();
	return 3;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	static char room[1 << 16];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = k_handler};
	struct timespec start = {0, 300000000};

	wait_ms = argc > 2 ? strtol(argv[2], NULL, 10) : wait_ms;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	nanosleep(&start, NULL); /* until a tracer has read the tables */
	for (long i = 0; i < rounds; i++) {
		k_raise(SIGUSR1);
		k_raise(SIGUSR2);
		k_return();
	}
	return 0;
}
