/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload of the lessons: known numbers of known things.
 *
 *	lesson_demo WORD N [WORD N]...
 *
 *	naps N		N sleeps of 10 ms in the function take_nap
 *	sleeps N	N sleeps of 50 ms in the function take_sleep
 *	opens N		opens /etc/passwd N times, and /nowhere/1 ... /nowhere/N, which do not exist
 *	reads N		N reads of 16 bytes, N of 4096 of /dev/zero, and one of nothing of /dev/null
 *	writes N	writes i bytes to /dev/null, i = 1 ... N
 *	requests N	handle_request(i, 100 * i), i = 1 ... N: each 10th sleeps 5 ms and fails
 *			with -5, the others return 0; each 5th call is from from_timer, the others
 *			are from from_network
 *	spin MS		computes for MS of CPU time: 3 of 4 ms in spin_hot, 1 in spin_cold
 *	orders N	fires the USDT probe shop:order with i and 10 * i, i = 1 ... N
 *	workers N	N threads, worker-1 ... worker-N; worker-i calls getppid() 10 * i times
 *	spawn N		starts /bin/true N times, one after the other
 *	pages N		touches N new pages of memory
 *	lock N		waits N times 10 ms for a lock of another thread, in wait_for_lock
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
/* A function that uses its frame address has a frame even if it calls nothing. */
#define HAVE_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

NOINLINE void take_nap(void);
NOINLINE void take_sleep(void);
NOINLINE int handle_request(int id, long size);
NOINLINE int from_network(int id);
NOINLINE int from_timer(int id);
NOINLINE void spin_hot(uint64_t ns);
NOINLINE void spin_cold(uint64_t ns);
NOINLINE void place_order(long id, long amount);
NOINLINE void wait_for_lock(void);

static void sleep_ms(long ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

NOINLINE void take_nap(void)
{
	sleep_ms(10);
	HAVE_FRAME();
}

NOINLINE void take_sleep(void)
{
	sleep_ms(50);
	HAVE_FRAME();
}

static void naps(long n)
{
	for (long i = 0; i < n; i++)
		take_nap();
}

static void sleeps(long n)
{
	for (long i = 0; i < n; i++)
		take_sleep();
}

/* ---- files --------------------------------------------------------------------------------- */

static void opens(long n)
{
	char path[64];

	for (long i = 1; i <= n; i++) {
		int fd;

		/* on the stack: the tracer cannot read a page that was never touched */
		snprintf(path, sizeof(path), "%s", "/etc/passwd");
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
		snprintf(path, sizeof(path), "/nowhere/%ld", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
}

static void read_bytes(int fd, size_t bytes)
{
	static char buffer[4096];

	if (read(fd, buffer, bytes) < 0)
		perror("read");
}

static void reads(long n)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), null = open("/dev/null", O_RDONLY);

	for (long i = 0; i < n; i++) {
		read_bytes(zero, 16);
		read_bytes(zero, 4096);
	}
	read_bytes(null, 4096);
}

static void writes(long n)
{
	static const char bytes[4096];
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (long i = 1; i <= n && i <= (long)sizeof(bytes); i++)
		if (write(null, bytes, (size_t)i) != i)
			perror("write");
}

/* ---- functions ----------------------------------------------------------------------------- */

NOINLINE int handle_request(int id, long size)
{
	HAVE_FRAME();
	if (id % 10 == 0) {
		sleep_ms(5);
		return -5;
	}
	return size < 0 ? -1 : 0;
}

NOINLINE int from_network(int id)
{
	int result = handle_request(id, 100L * id);

	HAVE_FRAME();
	return result;
}

NOINLINE int from_timer(int id)
{
	int result = handle_request(id, 100L * id);

	HAVE_FRAME();
	return result;
}

static void requests(long n)
{
	for (long i = 1; i <= n; i++)
		if (i % 5 == 0)
			from_timer((int)i);
		else
			from_network((int)i);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void compute(uint64_t ns)
{
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
		for (int i = 0; i < 20000; i++)
			sink = sink * 31 + (uint64_t)i;
}

NOINLINE void spin_hot(uint64_t ns)
{
	HAVE_FRAME();
	compute(ns);
}

NOINLINE void spin_cold(uint64_t ns)
{
	HAVE_FRAME();
	compute(ns);
}

static void spin(long ms)
{
	for (long done = 0; done < ms; done += 4) {
		spin_hot(3000000);
		spin_cold(1000000);
	}
}

/* ---- a USDT probe, with its note written by hand ------------------------------------------- */

__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

#if defined(__x86_64__)
#define ORDER_ARGS "8@%0 8@%1"
#else
#define ORDER_ARGS "8@%x0 8@%x1"
#endif

NOINLINE void place_order(long id, long amount)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",%%note\n"
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"
			 ".asciz \"shop\"\n.asciz \"order\"\n.asciz \"" ORDER_ARGS "\"\n"
			 "994: .balign 4\n.popsection\n" ::"r"(id),
			 "r"(amount)
			 : "memory");
}

static void orders(long n)
{
	for (long i = 1; i <= n; i++)
		place_order(i, 10 * i);
}

/* ---- threads and processes ----------------------------------------------------------------- */

static void *work(void *arg)
{
	long i = (long)(intptr_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "worker-%ld", i);
	prctl(PR_SET_NAME, name);
	for (long k = 0; k < 10 * i; k++)
		syscall(SYS_getppid);
	return NULL;
}

static void workers(long n)
{
	for (long i = 1; i <= n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, (void *)(intptr_t)i) == 0)
			pthread_join(thread, NULL);
	}
}

static void spawn(long n)
{
	char *words[] = {"/bin/true", NULL}, *environment[] = {NULL};
	pid_t pid;

	for (long i = 0; i < n; i++)
		if (posix_spawn(&pid, words[0], NULL, NULL, words, environment) == 0)
			waitpid(pid, NULL, 0);
}

static void pages(long n)
{
	size_t size = (size_t)n * 4096;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	madvise(at, size, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		at[i * 4096] = 1;
}

static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_wanted, is_held;

static void *hold_lock(void *arg)
{
	for (long i = 0; i < (long)(intptr_t)arg; i++) {
		sem_wait(&is_wanted);
		pthread_mutex_lock(&the_lock);
		sem_post(&is_held);
		sleep_ms(10);
		pthread_mutex_unlock(&the_lock);
	}
	return NULL;
}

NOINLINE void wait_for_lock(void)
{
	pthread_mutex_lock(&the_lock);
	pthread_mutex_unlock(&the_lock);
	HAVE_FRAME();
}

static void lock(long n)
{
	pthread_t holder;

	sem_init(&is_wanted, 0, 0);
	sem_init(&is_held, 0, 0);
	if (pthread_create(&holder, NULL, hold_lock, (void *)(intptr_t)n))
		return;
	for (long i = 0; i < n; i++) {
		sem_post(&is_wanted);
		sem_wait(&is_held);
		wait_for_lock();
	}
	pthread_join(holder, NULL);
}

static const struct {
	const char *name;
	void (*run)(long n);
} words[] = {
	{"naps", naps},	      {"sleeps", sleeps},     {"opens", opens}, {"reads", reads},
	{"writes", writes},   {"requests", requests}, {"spin", spin},	{"orders", orders},
	{"workers", workers}, {"spawn", spawn},	      {"pages", pages}, {"lock", lock},
};

static int run(const char *name, long n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i].name, name) == 0) {
			words[i].run(n);
			return 0;
		}
	fprintf(stderr, "lesson_demo: what is '%s'?\n", name);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc % 2 == 0) {
		fprintf(stderr, "usage: lesson_demo WORD N [WORD N]...\n");
		return 1;
	}
	for (int i = 1; i < argc; i += 2)
		if (run(argv[i], strtol(argv[i + 1], NULL, 10)))
			return 1;
	return 0;
}
