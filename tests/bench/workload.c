/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload - the traced program, while tests/bench/run measures what tracing adds to it.
 *
 *     workload getppid CPU      system calls, one after the other, on one CPU
 *     workload getuid CPU
 *     workload call CPU         calls of a function that begins with endbr64 and a push (x86-64)
 *     workload switch CPU       two processes on one CPU that wake each other over pipes
 *     workload ready FILE       as a tracer's -c command: write the monotonic time to FILE, which shows
 *                               that the probes are attached, then wait to be killed
 *
 * The first four read lines `CHUNKS N` from stdin, cause CHUNKS times N events and reply with each
 * chunk's CPU time for an event, in nanoseconds (of both processes), so that other load on that CPU
 * does not count. One process serves many measurements with and without a tracer.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int to_partner, from_partner;
static clockid_t partner_clock;
static bool has_partner;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID) + (has_partner ? read_clock(partner_clock) : 0);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("workload: sched_setaffinity"), exit(2);
}

static void do_getppid(uint64_t n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void do_getuid(uint64_t n)
{
	while (n--)
		syscall(SYS_getuid);
}

#if defined(__x86_64__)
long cet_call(void);
__asm__(".text\n.globl cet_call\n.type cet_call, @function\ncet_call:\n"
	".type cet_push, @function\n"
	"	endbr64\ncet_push:\n	push %rbx\n	pop %rax\n	ret\n"
	".size cet_call, . - cet_call\n");

static void do_call(uint64_t n)
{
	while (n--)
		cet_call();
}
#else
#define do_call do_getuid
#endif

static void pass_on(int from, int to)
{
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		exit(0);
}

/* A round trip is two switches. */
static void do_switch(uint64_t n)
{
	for (; n > 1; n -= 2)
		pass_on(from_partner, to_partner);
}

static void start_partner(void)
{
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) || pipe(back))
		perror("workload: pipe"), exit(2);
	to_partner = there[1];
	from_partner = back[0];
	pid = fork();
	if (pid) {
		has_partner = clock_getcpuclockid(pid, &partner_clock) == 0;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(there[1]);
	close(back[0]);
	for (char byte; read(there[0], &byte, 1) == 1;)
		if (write(back[1], &byte, 1) != 1)
			break;
	_exit(0);
}

static void serve(void (*events)(uint64_t))
{
	unsigned long long chunks, n;

	while (scanf("%llu %llu", &chunks, &n) == 2) {
		for (unsigned long long i = 0; i < chunks; i++) {
			uint64_t from = cpu_ns();

			events(n);
			printf("%.2f ", (double)(cpu_ns() - from) / (double)n);
		}
		puts("");
		fflush(stdout);
	}
}

static int say_ready(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return perror(path), 2;
	fprintf(f, "%llu\n", (unsigned long long)read_clock(CLOCK_MONOTONIC));
	fclose(f);
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return fprintf(stderr,
			       "usage: workload getppid|getuid|call|switch CPU, workload ready FILE\n"),
		       2;
	if (strcmp(argv[1], "ready") == 0)
		return say_ready(argv[2]);
	pin(atoi(argv[2]));
	if (strcmp(argv[1], "switch") == 0)
		start_partner();
	serve(strcmp(argv[1], "switch") == 0   ? do_switch
	      : strcmp(argv[1], "getuid") == 0 ? do_getuid
	      : strcmp(argv[1], "call") == 0   ? do_call
					       : do_getppid);
	return 0;
}
