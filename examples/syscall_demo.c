/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact numbers of system calls with known arguments and results, to check what a tracer counts.
 *
 * syscall_demo WORD N [WORD N]...
 *
 * Words:
 *	getppid N	getppid(), N times
 *	getpgid N	getpgid(i) for i = 1 … N: a different argument each time
 *	openat N	openat(77, "/nowhere", O_RDONLY | O_CLOEXEC): the result is -2 (ENOENT), not EBADF,
 *			because the path is absolute
 *	dup N		dup(-1): the result is -9 (EBADF)
 *	read N		read(2) of 64 bytes of /dev/zero, from the function read_zero
 *	compat N	getppid() as a 32-bit program calls it (x86-64 only)
 *	wait MS		sleeps
 *
 * Each word has a function call_WORD with its own system call instruction, and frame pointers:
 * stacks begin in it, whichever way they are walked.
 */
#include "enter_kernel.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

NOINLINE void call_getppid(long n);
NOINLINE void call_getpgid(long n);
NOINLINE void call_openat(long n);
NOINLINE void call_dup(long n);
NOINLINE void read_zero(int fd, char *buffer);
NOINLINE void call_read(long n);
NOINLINE void call_compat(long n);
NOINLINE void call_wait(long n);

NOINLINE void call_getppid(long n)
{
	for (long i = 0; i < n; i++)
		enter_kernel(SYS_getppid, 0, 0, 0, 0);
}

NOINLINE void call_getpgid(long n)
{
	for (long i = 1; i <= n; i++)
		enter_kernel(SYS_getpgid, i, 0, 0, 0);
}

NOINLINE void call_openat(long n)
{
	for (long i = 0; i < n; i++)
		enter_kernel(SYS_openat, 77, (long)"/nowhere", O_RDONLY | O_CLOEXEC, 0);
}

NOINLINE void call_dup(long n)
{
	for (long i = 0; i < n; i++)
		enter_kernel(SYS_dup, -1, 0, 0, 0);
}

NOINLINE void read_zero(int fd, char *buffer)
{
	/* It calls nothing: without this it has no frame, and its caller is not visible. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	enter_kernel(SYS_read, fd, (long)buffer, 64, 0);
}

NOINLINE void call_read(long n)
{
	char buffer[64];
	int fd = (int)enter_kernel(SYS_openat, AT_FDCWD, (long)"/dev/zero", O_RDONLY, 0);

	for (long i = 0; i < n; i++)
		read_zero(fd, buffer);
}

NOINLINE void call_compat(long n)
{
	for (long i = 0; i < n; i++) {
#if defined(__x86_64__)
		long result = 64; /* getppid in the 32-bit table */

		__asm__ volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory");
#endif
	}
}

NOINLINE void call_wait(long n)
{
	struct timespec pause = {.tv_sec = n / 1000, .tv_nsec = n % 1000 * 1000000};

	enter_kernel(SYS_nanosleep, (long)&pause, 0, 0, 0);
}

static const struct {
	const char *name;
	void (*call)(long n);
} words[] = {
	{"getppid", call_getppid}, {"getpgid", call_getpgid}, {"openat", call_openat},
	{"dup", call_dup},	   {"read", call_read},	      {"compat", call_compat},
	{"wait", call_wait},
};

static int run(const char *name, long n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i].name, name) == 0) {
			words[i].call(n);
			return 0;
		}
	fprintf(stderr, "syscall_demo: what is '%s'?\n", name);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc % 2 == 0) {
		fprintf(stderr, "usage: syscall_demo WORD N [WORD N]...\n");
		return 1;
	}
	for (int i = 1; i < argc; i += 2)
		if (run(argv[i], strtol(argv[i + 1], NULL, 10)))
			return 1;
	return 0;
}
