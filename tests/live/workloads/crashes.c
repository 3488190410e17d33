/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crashes HOW: crashes, in a function of that name: reads, writes, calls_nothing, aborts, divides, maps, handled.
 *
 * Prints "address X" before, if the kernel knows one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))

static sigjmp_buf back;
static volatile int zero, sink;

PLACE static void reads(void)
{
	volatile char *p = (char *)(uintptr_t)0xdead000;

	printf("address %p\n", (void *)p);
	sink = *p;
}

PLACE static void writes(void)
{
	volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	printf("address %p\n", (void *)p);
	*p = 1;
}

PLACE static void aborts(void)
{
	abort();
}

PLACE static void divides(void)
{
	sink = sink / zero;
}

/* A page of a file beyond its end. */
PLACE static void maps(void)
{
	int fd = memfd_create("empty", 0);
	volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	printf("address %p\n", (void *)p);
	sink = *p;
}

static void handler(int sig)
{
	siglongjmp(back, sig);
}

PLACE static void handled(void)
{
	signal(SIGSEGV, handler);
	if (!sigsetjmp(back, 1))
		reads();
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {{"reads", reads},	  {"writes", writes}, {"aborts", aborts},
	    {"divides", divides}, {"maps", maps},     {"handled", handled}};

int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};

	setvbuf(stdout, NULL, _IONBF, 0);
	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0) {
			ways[i].run();
			return 0;
		}
	fprintf(stderr, "usage: crashes reads|writes|aborts|divides|maps|handled\n");
	return 1;
}
