/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaks N: allocates memory and opens descriptors, N at each place, and gives some of them back.
 *
 * Prints what it keeps of each: "kept FUNCTION COUNT BYTES", and of descriptors "open FUNCTION COUNT" and "descriptors
 * COUNT", by how many /proc/self/fd has grown. The functions that begin with "returns_" keep nothing.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))
enum { MOST = 1000 };

static void *volatile kept[MOST];
static volatile int fds[2 * MOST];

PLACE static void by_malloc(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = malloc(100);
}

PLACE static void by_calloc(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = calloc(10, 20);
}

/* Grows what was allocated elsewhere. */
PLACE static void by_realloc(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = realloc(kept[i], 300);
}

/* The old memory stays where it was allocated: in by_calloc(). */
PLACE static void by_failed_realloc(int n)
{
	for (int i = 0; i < n; i++)
		if (realloc(kept[i], SIZE_MAX / 4))
			abort();
}

PLACE static void by_memalign(int n)
{
	void *p;

	for (int i = 0; i < n; i += 2) {
		if (posix_memalign(&p, 64, 400))
			abort();
		kept[i] = p;
		kept[i] = aligned_alloc(64, 448);
	}
}

/* malloc() maps this memory itself: it counts once. */
PLACE static void by_large_malloc(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = malloc(1 << 20);
}

PLACE static void by_mmap(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

PLACE static void returns_all(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = malloc(50);

		kept[MOST - 1] = p;
		free(realloc(p, 5000));
		p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(mremap(p, 8192, 16384, MREMAP_MAYMOVE), 16384);
	}
}

PLACE static void by_open(int n)
{
	for (int i = 0; i < n; i++)
		fds[i] = open("/dev/null", O_RDONLY);
}

PLACE static void by_dup(int n)
{
	for (int i = 0; i < n; i++)
		fds[i] = dup(0);
}

/* Two each. */
PLACE static void by_pipe(int n)
{
	for (int i = 0; i < n; i++)
		if (pipe((int *)&fds[2 * i]))
			abort();
}

PLACE static void by_socketpair(int n)
{
	for (int i = 0; i < n; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)&fds[2 * i]))
			abort();
}

PLACE static void by_others(int n)
{
	for (int i = 0; i < n; i += 4) {
		fds[i] = epoll_create1(0);
		fds[i] = eventfd(0, 0);
		fds[i] = timerfd_create(CLOCK_MONOTONIC, 0);
		fds[i] = socket(AF_UNIX, SOCK_STREAM, 0);
	}
}

/* By close(), by close_range(), and by dup2() to the same number. */
PLACE static void returns_fds(int n)
{
	int first, last;

	for (int i = 0; i < n; i++) {
		close(open("/dev/null", O_RDONLY));
		first = last = open("/dev/null", O_RDONLY);
		last = dup2(0, first);
		close(last);
	}
	first = last = open("/dev/null", O_RDONLY);
	for (int i = 1; i < n; i++)
		last = open("/dev/null", O_RDONLY);
	close_range((unsigned)first, (unsigned)last, 0);
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void leak_memory(int n)
{
	by_malloc(n);
	by_realloc(n);
	by_malloc(n);
	by_calloc(n);
	by_failed_realloc(n);
	by_memalign(n);
	by_large_malloc(n);
	by_mmap(n);
	returns_all(n);
	printf("kept by_malloc %d %d\nkept by_realloc %d %d\nkept by_calloc %d %d\n", n, n * 100, n,
	       n * 300, n, n * 200);
	printf("kept by_memalign %d %d\nkept by_large_malloc %d %d\nkept by_mmap %d %d\n", n,
	       n / 2 * 848, n, n << 20, n, n * 8192);
}

static void leak_fds(int n)
{
	int before = count_fds();

	by_open(n);
	by_dup(n);
	by_pipe(n);
	by_socketpair(n);
	by_others(n);
	returns_fds(n);
	printf("open by_open %d\nopen by_dup %d\nopen by_pipe %d\nopen by_socketpair %d\nopen by_others %d\n",
	       n, n, 2 * n, 2 * n, n);
	printf("descriptors %d\n", count_fds() - before);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	if (n < 4 || n > MOST || n % 4) {
		fprintf(stderr, "usage: leaks N, a multiple of 4\n");
		return 1;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	leak_memory(n);
	leak_fds(n);
	return 0;
}
