/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers that switch stacks in the middle of work(), by swapcontext(), or by code of its own in
 * fibers_own.c. Usage: fibers turns|moves ROUNDS. All fibers are in work() at the same time. `moves`:
 * two threads run them in turn, so each call returns on another thread than the one that it began on.
 * Prints for each call its number, and the nanoseconds within it and around it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIBERS = 3, STACK_BYTES = 256 * 1024 };

#if defined(OWN_SWITCH) && defined(__x86_64__)
typedef void *context;

/* Save the callee-saved registers on the stack, and continue on the other one. */
void own_switch(context *from, context to);
__asm__(".text\n.globl own_switch\n.type own_switch, @function\nown_switch:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	".size own_switch, . - own_switch\n");

static void switch_to(context *from, context *to)
{
	own_switch(from, *to);
}

static void prepare(context *c, char *stack, void (*fn)(void))
{
	uint64_t *top = (uint64_t *)(stack + STACK_BYTES - 64);

	top[0] = (uint64_t)fn; /* own_switch() returns there; six registers are below */
	*c = top - 6;
}
#else
#include <ucontext.h>
typedef ucontext_t context;

static void switch_to(context *from, context *to)
{
	swapcontext(from, to);
}

static void prepare(context *c, char *stack, void (*fn)(void))
{
	getcontext(c);
	c->uc_stack.ss_sp = stack;
	c->uc_stack.ss_size = STACK_BYTES;
	makecontext(c, fn, 0);
}
#endif

static struct fiber {
	context self;
	int n;
} fibers[FIBERS];

static context scheduler;
static struct fiber *current;
static int rounds;
static sem_t turns[2];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void yield(void)
{
	switch_to(&current->self, &scheduler);
}

int work(int n, uint64_t *inner);
int outer_work(int n, uint64_t *inner);

__attribute__((noinline)) int work(int n, uint64_t *inner)
{
	uint64_t start = now();

	usleep(100);
	yield();
	*inner = now() - start;
	return n + 1;
}

__attribute__((noinline)) int outer_work(int n, uint64_t *inner)
{
	int result = work(n, inner) + 1;

	__asm__ volatile("" ::: "memory");
	return result;
}

static void run_fiber(void)
{
	for (int i = 0; i < rounds; i++) {
		int n = i * FIBERS + (int)(current - fibers);
		uint64_t inner, start = now();

		if (outer_work(n, &inner) != n + 2)
			abort();
		printf("call %d %llu %llu\n", n, (unsigned long long)inner,
		       (unsigned long long)(now() - start));
		yield();
	}
	yield();
}

/* Continue each fiber once. They enter in one order and return in the same, not in reverse. */
static void step(void)
{
	for (int i = 0; i < FIBERS; i++) {
		current = &fibers[i];
		switch_to(&scheduler, &current->self);
	}
}

static void *run_thread(void *arg)
{
	long me = (long)arg;

	for (int i = 0; i < rounds; i++) {
		sem_wait(&turns[me]);
		step();
		sem_post(&turns[!me]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static char stacks[FIBERS][STACK_BYTES] __attribute__((aligned(64)));
	pthread_t threads[2];

	if (argc < 3)
		return 2;
	rounds = atoi(argv[2]);
	for (int i = 0; i < FIBERS; i++)
		prepare(&fibers[i].self, stacks[(i * 2) % FIBERS], run_fiber);
	if (strcmp(argv[1], "turns") == 0) {
		for (int i = 0; i < 2 * rounds; i++)
			step();
		return 0;
	}
	sem_init(&turns[0], 0, 1);
	sem_init(&turns[1], 0, 0);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
