/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program knows of its own stacks, for tests/live/check-stacks: where it waited, called by
 * whom, and how long it was off the CPU there.
 *
 *	expect("poll in a loop", "k_poll k_loop main");	the functions of the program, innermost first
 *	k_loop();					… in which somewhere AT_SITE(poll(…));
 *	print_record();					at the end of the process
 *
 * AT_SITE() runs a statement that waits in libc. It records the callers' return addresses by libgcc's
 * backtrace(), and the time by two clocks: what elapsed, less what the thread was on the CPU.
 *
 * The record, one line each, of the first 256 sites:
 *	image PID PATH
 *	map PID START END OFFSET PATH		executable mappings
 *	site PID TID NANOSECONDS TIMES FUNCTION "NAME" "FUNCTIONS" "WAITS" ADDRESS…
 *	thread PID TID NANOSECONDS		off the CPU since its first expect(); the longest of its lines counts
 *	path FUNCTION…				other ways to be in the program, innermost first
 *	names PID				there are no ADDRESSes: musl has no backtrace()
 * FUNCTION is the one that waited; WAITS are the nanoseconds of the first 32 waits; ADDRESSes are the return
 * addresses into its callers. A site of 0 TIMES has addresses only: where stacks of that thread end.
 */
#pragma once
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

#ifdef __clang__
#define STAYS __attribute__((noinline))
#else
#define STAYS __attribute__((noinline, noclone))
#endif

/* Behind a call: it is not the last thing its function does, so it is no tail call. */
#define NOT_LAST() __asm__ volatile("" : : : "memory")

enum { MOST_SITES = 256, MOST_CALLERS = 256, MOST_WAITS = 32 };

struct known_site {
	const char *name, *functions, *leaf;
	pid_t tid;
	int n;
	void *callers[MOST_CALLERS];
	int64_t off_cpu_ns, waits[MOST_WAITS];
	int64_t of_thread_ns; /* off the CPU since its first expect(), also elsewhere */
	long times;
};

/* The sites of this process. A child of fork() begins anew. */
static struct {
	struct known_site sites[MOST_SITES];
	int n;
	pid_t pid;
	int lock;
} known;

#ifndef __GLIBC__
static inline int backtrace(void **addresses, int most)
{
	(void)most;
	addresses[0] = NULL;
	return 1;
}

extern void _start(void);

/* Where stacks end: the return addresses into _start, and into __clone() for other threads, which
 * has no name in a stripped library. */
static inline void print_ends(uint64_t start, uint64_t end)
{
	static const char clone_call[] = "\x31\xed\x5f\x41\xff\xd1";
	const uint64_t ends[] = {(uint64_t)_start + 22,
				 (uint64_t)memmem((void *)start, end - start, clone_call, 6) + 6};

	for (int i = 0; i < 2; i++)
		if (ends[i] >= start && ends[i] < end)
			printf("site %d %d 0 0 - \"end\" \"\" \"\" %" PRIx64 "\n", getpid(),
			       getpid(), ends[i]);
	printf("names %d\n", getpid());
}
#endif

/* What the thread expects next. Volatile, for signal handlers read it. */
static __thread const char *volatile expected_name, *volatile expected_functions;
static __thread pid_t known_tid; /* another one in a child of fork() */
static __thread int64_t known_since_ns;

static inline int64_t read_known_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time that this thread has spent off the CPU since some time. */
static inline int64_t off_cpu_now(void)
{
	int64_t on = read_known_clock(CLOCK_THREAD_CPUTIME_ID);

	return read_known_clock(CLOCK_MONOTONIC) - on;
}

static inline void expect(const char *name, const char *functions)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (known_tid != tid)
		known_since_ns = off_cpu_now();
	known_tid = tid;
	expected_name = name;
	expected_functions = functions;
}

static inline int is_same_site(const struct known_site *a, const struct known_site *b)
{
	return a->tid == b->tid && a->n == b->n && strcmp(a->name, b->name) == 0 &&
	       memcmp(a->callers, b->callers, (size_t)a->n * sizeof(*a->callers)) == 0;
}

static inline void add_wait(struct known_site *site, const struct known_site *new_site)
{
	if (site->times < MOST_WAITS)
		site->waits[site->times] = new_site->off_cpu_ns;
	site->off_cpu_ns += new_site->off_cpu_ns;
	site->of_thread_ns = new_site->of_thread_ns;
	site->times += new_site->times;
}

/* Spins: waiting here would be off-CPU time at another place. */
static inline void note_site(struct known_site *new_site)
{
	int i = 0;

	new_site->tid = (pid_t)syscall(SYS_gettid);
	new_site->name = expected_name ? expected_name : "unnamed";
	new_site->functions = expected_functions ? expected_functions : "";
	while (__atomic_exchange_n(&known.lock, 1, __ATOMIC_ACQUIRE))
		;
	if (known.pid != getpid()) {
		known.pid = getpid();
		known.n = 0;
	}
	while (i < known.n && !is_same_site(&known.sites[i], new_site))
		i++;
	new_site->of_thread_ns = off_cpu_now() - known_since_ns;
	if (i == known.n && i < MOST_SITES)
		known.sites[known.n++] = *new_site;
	else if (i < known.n)
		add_wait(&known.sites[i], new_site);
	__atomic_store_n(&known.lock, 0, __ATOMIC_RELEASE);
}

/* addresses[0] is in the function that calls backtrace(). */
static inline void leave_site(const char *leaf, void **addresses, int n, int64_t off_cpu_ns)
{
	struct known_site site;

	memset(&site, 0, sizeof(site));
	site.leaf = leaf;
	site.n = n - 1;
	memcpy(site.callers, addresses + 1, (size_t)site.n * sizeof(*addresses));
	site.off_cpu_ns = site.waits[0] = off_cpu_ns;
	site.times = 1;
	note_site(&site);
}

#define AT_SITE(...)                                                                        \
	do {                                                                                \
		static __thread void *at_site_[MOST_CALLERS + 1];                           \
		int at_site_n_ = backtrace(at_site_, MOST_CALLERS + 1);                     \
		int64_t at_site_start_ = off_cpu_now();                                     \
		__VA_ARGS__;                                                                \
		leave_site(__func__, at_site_, at_site_n_, off_cpu_now() - at_site_start_); \
	} while (0)

/* Time for a tracer to read the tables of this program: what is recorded here may be missing. */
#define START_SITE(what, functions)                      \
	do {                                             \
		struct timespec start_ = {0, 300000000}; \
		expect("start" what, functions);         \
		AT_SITE(nanosleep(&start_, NULL));       \
	} while (0)

/* Lines go out whole, so that processes can share a pipe. */
static inline void print_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], path[400], rights[8];
	uint64_t start, end, offset;

	while (maps && fgets(line, sizeof(line), maps)) {
		path[0] = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %399s", &start,
			   &end, rights, &offset, path) < 4 ||
		    rights[2] != 'x')
			continue;
		printf("map %d %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", getpid(), start, end,
		       offset, path);
#ifndef __GLIBC__
		if (path[0] == '/')
			print_ends(start, end);
#endif
	}
	if (maps)
		fclose(maps);
}

static inline void print_site(const struct known_site *s)
{
	printf("site %d %d %" PRId64 " %ld %s \"%s\" \"%s\" \"", known.pid, s->tid, s->off_cpu_ns,
	       s->times, s->leaf, s->name, s->functions);
	for (int k = 0; k < s->times && k < MOST_WAITS; k++)
		printf("%s%" PRId64, k ? " " : "", s->waits[k]);
	printf("\"");
	for (int k = 0; k < s->n; k++)
		printf(" %lx", (unsigned long)s->callers[k]);
	printf("\nthread %d %d %" PRId64 "\n", known.pid, s->tid, s->of_thread_ns);
}

static inline void print_record(void)
{
	char image[400];
	ssize_t n = readlink("/proc/self/exe", image, sizeof(image) - 1);

	printf("image %d %.*s\n", getpid(), n > 0 ? (int)n : 0, image);
	print_maps();
	for (int i = 0; known.pid == getpid() && i < known.n; i++)
		print_site(&known.sites[i]);
	fflush(stdout);
}

static inline struct timespec known_ms(long ms)
{
	struct timespec t;

	t.tv_sec = ms / 1000;
	t.tv_nsec = ms % 1000 * 1000000;
	return t;
}
