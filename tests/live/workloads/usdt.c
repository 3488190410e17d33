/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT probes of every kind. The notes are written by hand, so no header is needed.
 *
 *	usdt ROUNDS	fires each probe once a round; prints how often it saw the semaphore set
 *	usdt watch	waits until the semaphore is 0, is set, is 0 again, and prints its values; fires
 *			demo:gated while it is set
 *	usdt thread	the same in another thread than the first
 *	usdt idle	waits for SIGTERM, then prints the semaphore's maximum
 *
 * In each round n, from 0:
 *   demo:regs   arg0 n (int), arg1 the string "round", arg2 low 16 bits of 70000 + n, arg3 -n (one
 *               byte, signed), arg4 second byte of 0x1234
 *   demo:consts -5 (int), 7 (8 bytes), 0xfffffffb (4 bytes, unsigned), -2 (8 bytes)
 *   demo:memory n * 10 on the stack, table[n % 4] by base and index, the variable `total`, the
 *               address of `total`
 *   demo:step   twice: n by register and signed, then 1000 + n in memory and unsigned
 *   demo:gated  n, only while someone traces it
 *   demo:many   0, 1 … 11
 *   other:step  nothing
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__extension__ unsigned short demo_gated_semaphore __attribute__((section(".probes"), used));
int64_t total __attribute__((used)) = -1;
int32_t table[4] __attribute__((used)) = {40, -41, 42, -43};

/* The linker's address of this section tells how far a file has been moved. */
__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

#define PROBE(provider, name, semaphore, args, ...)                                            \
	__asm__ volatile("990: nop\n"                                                          \
			 ".pushsection .note.stapsdt,\"\",%%note\n"                            \
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                         \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                           \
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"     \
			 ".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n" \
			 "994: .balign 4\n.popsection\n" ::__VA_ARGS__                         \
			 : "memory")

#define NOINLINE __attribute__((noinline, noclone))

#if defined(__x86_64__)

NOINLINE static void regs(int n, const char *text)
{
	uint64_t high = 0x1234;

	PROBE("demo", "regs", "0", "-4@%k0 8@%1 2@%w2 -1@%b3 1@%h4", "r"(n), "r"(text),
	      "r"(70000 + n), "q"(-n), "Q"(high));
}

NOINLINE static void memory(int n)
{
	volatile int32_t there = n * 10;

	PROBE("demo", "memory", "0", "-4@%0 -4@(%1,%2,4) -8@total(%%rip) 8@%3 4@4+table(%%rip)",
	      "m"(there), "r"(table), "r"((long)n % 4), "r"(&total));
}

NOINLINE static void step(int n)
{
	volatile uint32_t more = 1000 + (uint32_t)n;

	PROBE("demo", "step", "0", "-4@%k0", "r"(n));
	PROBE("demo", "step", "0", "4@%0", "m"(more));
}

#define WORD "%k0"
#define FLOATING "%%xmm0"
#define C(n) "$" #n

#else /* arm64: no register is part of another, and variables are not addressed by name */

NOINLINE static void regs(int n, const char *text)
{
	uint64_t high = 0x1234;

	PROBE("demo", "regs", "0", "-4@%w0 8@%x1 2@%w2 -1@%w3 1@%x4", "r"(n), "r"(text),
	      "r"(70000 + n), "r"(-n), "r"(high >> 8));
}

NOINLINE static void memory(int n)
{
	volatile int32_t there = n * 10;

	PROBE("demo", "memory", "0", "-4@%0 -4@[%x1, %x2, lsl 2] -8@[%x3] 8@%x3 4@[%x1, 4]",
	      "m"(there), "r"(table), "r"((long)n % 4), "r"(&total));
}

NOINLINE static void step(int n)
{
	volatile uint32_t more = 1000 + (uint32_t)n;

	PROBE("demo", "step", "0", "-4@%w0", "r"(n));
	PROBE("demo", "step", "0", "4@%0", "m"(more));
}

#define WORD "%w0"
#define FLOATING "d0"
#define C(n) #n

#endif

NOINLINE static void rest(int n)
{
	PROBE("demo", "consts", "0", "-4@" C(-5) " 8@" C(7) " 4@" C(-5) " -8@" C(-2), "r"(n));
	PROBE("demo", "many", "0",
	      "4@" C(0) " 4@" C(1) " 4@" C(2) " 4@" C(3) " 4@" C(4) " 4@" C(5) " 4@" C(6) " 4@" C(
		      7) " 4@" C(8) " 4@" C(9) " 4@" C(10) " 4@" C(11),
	      "r"(n));
	PROBE("demo", "floating", "0", "8f@" FLOATING, "r"(n));
	PROBE("other", "step", "0", "", "r"(n));
}

NOINLINE static void gated(int n)
{
	PROBE("demo", "gated", "demo_gated_semaphore", "-4@" WORD, "r"(n));
}

static unsigned short semaphore(void)
{
	return *(volatile unsigned short *)&demo_gated_semaphore;
}

static void run(int rounds)
{
	int seen = 0;

	for (int n = 0; n < rounds; n++) {
		regs(n, "round");
		rest(n);
		memory(n);
		step(n);
		seen += semaphore() > 0;
		if (semaphore())
			gated(n);
	}
	printf("semaphore seen %d\n", seen);
}

/* Ends with the value it saw, after at most 10 s. Earlier tracers may not be gone yet. */
static void watch(void)
{
	int before, during, n = 0;

	for (; n < 2000 && semaphore(); n++)
		usleep(1000);
	before = semaphore();
	for (; n < 10000 && !semaphore(); n++)
		usleep(1000);
	during = semaphore();
	sleep(1); /* without multi links the program is attached after the counter */
	for (int i = 0; n < 10000 && semaphore(); n++, i++) {
		gated(i);
		usleep(1000);
	}
	printf("semaphore %d %d %d\n", before, during, semaphore());
}

static void *watch_in_thread(void *none)
{
	watch();
	return none;
}

static void watch_beside(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, watch_in_thread, NULL))
		pthread_join(thread, NULL);
}

static volatile sig_atomic_t is_over;

static void on_term(int signal)
{
	(void)signal;
	is_over = 1;
}

static void idle(void)
{
	int most = 0;

	signal(SIGTERM, on_term);
	for (int n = 0; n < 2000 && semaphore(); n++)
		usleep(1000);
	for (int n = 0; n < 10000 && !is_over; n++) {
		if (semaphore() > most)
			most = semaphore();
		usleep(1000);
	}
	printf("idle saw %d\n", most);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "watch") == 0)
		watch();
	else if (argc > 1 && strcmp(argv[1], "thread") == 0)
		watch_beside();
	else if (argc > 1 && strcmp(argv[1], "idle") == 0)
		idle();
	else
		run(argc > 1 ? atoi(argv[1]) : 1);
	return 0;
}
