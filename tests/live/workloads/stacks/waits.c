/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in libc, in most of its ways to wait, below functions with frames of most shapes. It is
 * built with and without frame pointers and with several levels of optimization; record.h explains
 * what it prints.
 *
 *	waits [ROUNDS [MS]]	rounds of all waits (5), of so many milliseconds each (4)
 */
#define _GNU_SOURCE
#include "record.h"
#include <alloca.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <ucontext.h>

static long wait_ms = 4;

typedef void wait_fn(void);

/* ---- the ways to wait ---------------------------------------------------------------------- */

static struct timespec after_wait(clockid_t clock)
{
	int64_t at = read_known_clock(clock) + wait_ms * 1000000;
	struct timespec t = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};

	return t;
}

STAYS void k_nanosleep(void)
{
	struct timespec pause = known_ms(wait_ms);

	AT_SITE(nanosleep(&pause, NULL));
}

STAYS void k_usleep(void)
{
	AT_SITE(usleep((useconds_t)wait_ms * 1000));
}

STAYS void k_poll(void)
{
	AT_SITE(poll(NULL, 0, (int)wait_ms));
}

STAYS void k_select(void)
{
	struct timeval pause = {.tv_usec = wait_ms * 1000};

	AT_SITE(select(0, NULL, NULL, NULL, &pause));
}

STAYS void k_epoll_wait(void)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;

	AT_SITE(epoll_wait(fd, &event, 1, (int)wait_ms));
	close(fd);
}

/* A timer as a file: reading it blocks until it expires. */
static int new_timer(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec at = {.it_value = known_ms(wait_ms)};

	timerfd_settime(fd, 0, &at, NULL);
	return fd;
}

STAYS void k_read(void)
{
	int fd = new_timer();
	uint64_t n = 0;

	AT_SITE(if (read(fd, &n, sizeof(n)) != sizeof(n)) abort());
	close(fd);
}

STAYS void k_fread(void)
{
	FILE *file = fdopen(new_timer(), "r");
	uint64_t n = 0;

	AT_SITE(if (fread(&n, sizeof(n), 1, file) > 1) abort());
	fclose(file);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_held, may_hold;

/* Holds the mutex for one wait, each time it is asked to. */
static void *hold_mutex(void *unused)
{
	struct timespec pause = known_ms(wait_ms);

	for (;;) {
		sem_wait(&may_hold);
		pthread_mutex_lock(&mutex);
		sem_post(&is_held);
		nanosleep(&pause, NULL);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

STAYS void k_mutex_lock(void)
{
	sem_post(&may_hold);
	while (sem_wait(&is_held))
		;
	AT_SITE(pthread_mutex_lock(&mutex));
	pthread_mutex_unlock(&mutex);
}

STAYS void k_mutex_timedlock(void)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	struct timespec until = after_wait(CLOCK_REALTIME);

	pthread_mutex_lock(&own);
	AT_SITE(pthread_mutex_timedlock(&own, &until));
	pthread_mutex_unlock(&own);
}

STAYS void k_cond_timedwait(void)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until = after_wait(CLOCK_REALTIME);

	pthread_mutex_lock(&own);
	AT_SITE(pthread_cond_timedwait(&never, &own, &until));
	pthread_mutex_unlock(&own);
}

STAYS void k_sem_timedwait(void)
{
	static sem_t never;
	struct timespec until = after_wait(CLOCK_REALTIME);

	AT_SITE(while (sem_timedwait(&never, &until) && errno == EINTR));
}

STAYS void k_futex(void)
{
	static uint32_t word;
	struct timespec pause = known_ms(wait_ms);

	AT_SITE(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &pause));
}

STAYS void k_sigtimedwait(void)
{
	struct timespec pause = known_ms(wait_ms);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	AT_SITE(sigtimedwait(&set, NULL, &pause));
}

STAYS void k_waitpid(void)
{
	struct timespec pause = known_ms(wait_ms);
	pid_t child = fork();

	if (child == 0) {
		nanosleep(&pause, NULL);
		_exit(0);
	}
	AT_SITE(waitpid(child, NULL, 0));
}

/* ---- frames of many shapes ------------------------------------------------------------------ */

STAYS int k_alloca(wait_fn *wait, size_t n)
{
	char *room = alloca(n);

	memset(room, 1, n);
	wait();
	return room[n / 2];
}

STAYS int k_variable_array(wait_fn *wait, size_t n)
{
	char room[n], last = 0;

	memset(room, 1, n);
	for (size_t i = 0; i < 2; i++) {
		char inner[n * (i + 1)];

		memset(inner, 2, sizeof(inner));
		wait();
		last = inner[n / 2];
		n += 100;
	}
	return room[1] + last;
}

STAYS int k_large_frame(wait_fn *wait)
{
	char room[70000];

	memset(room, 1, sizeof(room));
	wait();
	return room[wait_ms];
}

/* The stack is realigned, so that the caller's frame is found through a register or a saved copy. */
STAYS int k_realigned(wait_fn *wait)
{
	char room[128] __attribute__((aligned(64)));

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	wait();
	return room[wait_ms];
}

STAYS int k_realigned_variable(wait_fn *wait, size_t n, long a, long b, long c, long d, long e,
			       long f)
{
	char fixed[64] __attribute__((aligned(64))), room[n];

	memset(fixed, 1, sizeof(fixed));
	memset(room, 1, n);
	__asm__ volatile("" : : "r"(fixed), "r"(room) : "memory");
	wait();
	return fixed[wait_ms] + room[n / 2] + (int)(a + b + c + d + e + f);
}

#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
STAYS int
k_realigned_arguments(wait_fn *wait, size_t n)
{
	char *room = alloca(n);

	memset(room, 1, n);
	wait();
	return room[n / 2];
}

/* All registers that a function has to preserve are in use, rbp among them. */
STAYS long k_registers(wait_fn *wait, long a, long b, long c, long d, long e)
{
	long sum = 0;

	for (long i = 0; i < 1; i++) {
		wait();
		sum += a * i + b * (i + 1) + c * (i + 2) + d * (i + 3) + e * (i + 4);
		a ^= sum, b ^= a, c ^= b, d ^= c, e ^= d;
	}
	return sum + a + b + c + d + e;
}

STAYS void k_tail_2(wait_fn *wait, int n)
{
	if (n > 0)
		wait();
	NOT_LAST();
}

STAYS void k_tail_1(wait_fn *wait, int n)
{
	k_tail_2(wait, n + 1); /* a jump, where the compiler optimizes */
}

STAYS int k_tail(wait_fn *wait)
{
	k_tail_1(wait, 1);
	NOT_LAST();
	return 0;
}

STAYS long k_recurse(wait_fn *wait, int depth)
{
	long more = 0;

	if (depth > 1)
		more = k_recurse(wait, depth - 1);
	else
		wait();
	NOT_LAST();
	return more + depth;
}

static wait_fn *volatile wait_in_callback;

STAYS int k_compare(const void *a, const void *b)
{
	wait_fn *wait = wait_in_callback;

	wait_in_callback = NULL;
	if (wait)
		wait();
	return *(const int *)a - *(const int *)b;
}

STAYS int k_sort(wait_fn *wait)
{
	int numbers[] = {5, 3, 8, 1, 9, 2, 7};

	wait_in_callback = wait;
	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), k_compare);
	return numbers[0];
}

STAYS int k_search(wait_fn *wait)
{
	int numbers[] = {1, 2, 3, 5, 7, 8, 9}, five = 5;

	wait_in_callback = wait;
	return bsearch(&five, numbers, 7, sizeof(int), k_compare) != NULL;
}

STAYS void k_visit(const void *node, VISIT order, int depth)
{
	wait_fn *wait = order == leaf ? wait_in_callback : NULL;

	wait_in_callback = NULL;
	if (wait)
		wait();
	NOT_LAST();
	(void)node, (void)depth;
}

STAYS void k_walk_tree(wait_fn *wait)
{
	static int one = 1;
	void *root = NULL;

	tsearch(&one, &root, k_compare);
	wait_in_callback = wait;
	twalk(root, k_visit);
	tdelete(&one, &root, k_compare);
}

/* ---- signals --------------------------------------------------------------------------------- */

static wait_fn *volatile wait_in_handler;

STAYS void k_handler(int number)
{
	wait_in_handler();
	NOT_LAST();
	(void)number;
}

static void handle(int number, int flags)
{
	struct sigaction action = {.sa_handler = k_handler, .sa_flags = flags};

	sigaction(number, &action, NULL);
}

STAYS int k_raise(wait_fn *wait)
{
	wait_in_handler = wait;
	handle(SIGUSR1, 0);
	raise(SIGUSR1);
	NOT_LAST();
	return 0;
}

/* On the signal stack. */
STAYS int k_raise_aside(wait_fn *wait)
{
	static char stack[1 << 17];
	stack_t aside = {.ss_sp = stack, .ss_size = sizeof(stack)}, old;

	wait_in_handler = wait;
	sigaltstack(&aside, &old);
	handle(SIGUSR1, SA_ONSTACK);
	raise(SIGUSR1);
	NOT_LAST();
	return sigaltstack(&old, NULL);
}

static volatile int alarmed;

STAYS void k_alarm_handler(int number)
{
	wait_in_handler();
	alarmed = 1;
	(void)number;
}

static void set_alarm(long ms)
{
	struct itimerval in = {.it_value = {.tv_usec = ms * 1000}};
	struct sigaction action = {.sa_handler = k_alarm_handler, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &action, NULL);
	alarmed = 0;
	setitimer(ITIMER_REAL, &in, NULL);
}

/* The signal comes at any instruction of a loop. */
STAYS uint64_t k_interrupted(wait_fn *wait)
{
	uint64_t sum = 1;

	wait_in_handler = wait;
	set_alarm(1);
	while (!alarmed)
		sum = sum * 6364136223846793005u + (uint64_t)wait_ms;
	return sum;
}

/* The signal comes while the thread waits in libc. */
STAYS int k_interrupted_wait(wait_fn *wait)
{
	struct timespec pause = known_ms(30);

	wait_in_handler = wait;
	set_alarm(1);
	nanosleep(&pause, NULL);
	NOT_LAST();
	return 0;
}

/* ---- threads and contexts --------------------------------------------------------------------- */

STAYS void *k_thread(void *wait)
{
	expect("in a thread", "k_nanosleep k_thread");
	((wait_fn *)wait)();
	NOT_LAST();
	return NULL;
}

__attribute__((noreturn)) STAYS void k_last_call(void)
{
	k_nanosleep();
	pthread_exit(NULL);
}

/* Its last instruction is a call: the return address is behind its end. */
STAYS void *k_ends_in_a_call(void *unused)
{
	(void)unused;
	expect("in a function that ends in a call", "k_nanosleep k_last_call k_ends_in_a_call");
	k_last_call();
}

#ifdef __GLIBC__
STAYS void k_other_context(void)
{
	k_nanosleep();
	NOT_LAST();
}

static void in_other_context(void)
{
	static char stack[1 << 17];
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, k_other_context, 0);
	expect("in a context of its own", "k_nanosleep k_other_context");
	swapcontext(&here, &there);
}
#else
static void in_other_context(void)
{
	/* musl has no contexts */
}
#endif

static void run_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, k_thread, (void *)k_nanosleep);
	pthread_create(&threads[3], NULL, k_ends_in_a_call, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void waits(void)
{
#define WAIT_IN(call) (expect(#call, "k_" #call " main"), k_##call())
	WAIT_IN(nanosleep);
	WAIT_IN(usleep);
	WAIT_IN(poll);
	WAIT_IN(select);
	WAIT_IN(epoll_wait);
	WAIT_IN(read);
	WAIT_IN(fread);
	WAIT_IN(mutex_lock);
	WAIT_IN(mutex_timedlock);
	WAIT_IN(cond_timedwait);
	WAIT_IN(sem_timedwait);
	WAIT_IN(futex);
	WAIT_IN(sigtimedwait);
	WAIT_IN(waitpid);
}

#define BELOW(what, functions, call) (expect(what, "k_" functions " main"), (void)(call))

static void shapes(void)
{
	BELOW("alloca", "poll k_alloca", k_alloca(k_poll, 1000 + (size_t)wait_ms));
	BELOW("variable array", "poll k_variable_array", k_variable_array(k_poll, 500));
	BELOW("large frame", "nanosleep k_large_frame", k_large_frame(k_nanosleep));
	BELOW("realigned", "read k_realigned", k_realigned(k_read));
	BELOW("realigned, variable", "poll k_realigned_variable",
	      k_realigned_variable(k_poll, 300, 1, 2, 3, 4, 5, 6));
	BELOW("realigned arguments", "nanosleep k_realigned_arguments",
	      k_realigned_arguments(k_nanosleep, 300));
	BELOW("registers", "fread k_registers", k_registers(k_fread, 1, 2, 3, 4, 5));
#ifdef __OPTIMIZE__
	BELOW("tail calls", "nanosleep k_tail_2 k_tail", k_tail(k_nanosleep));
#else
	BELOW("tail calls", "nanosleep k_tail_2 k_tail_1 k_tail", k_tail(k_nanosleep));
#endif
	BELOW("qsort", "nanosleep k_compare k_sort", k_sort(k_nanosleep));
	BELOW("bsearch", "poll k_compare k_search", k_search(k_poll));
	BELOW("twalk", "cond_timedwait k_visit k_walk_tree", (k_walk_tree(k_cond_timedwait), 0));
	BELOW("20 calls deep", "nanosleep k_recurse*20", k_recurse(k_nanosleep, 20));
	BELOW("60 calls deep", "read k_recurse*60", k_recurse(k_read, 60));
	BELOW("126 calls deep", "poll k_recurse*126", k_recurse(k_poll, 126));
	BELOW("200 calls deep", "nanosleep k_recurse*200", k_recurse(k_nanosleep, 200));
	BELOW("signal handler", "nanosleep k_handler k_raise", k_raise(k_nanosleep));
	BELOW("signal stack", "poll k_handler k_raise_aside", k_raise_aside(k_poll));
	BELOW("interrupted", "nanosleep k_alarm_handler k_interrupted", k_interrupted(k_nanosleep));
	BELOW("interrupted wait", "poll k_alarm_handler k_interrupted_wait",
	      k_interrupted_wait(k_poll));
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
	void *warm_up[4];
	pthread_t holder;
	sigset_t set;

	wait_ms = argc > 2 ? strtol(argv[2], NULL, 10) : 4;
	backtrace(warm_up, 4); /* loads libgcc */
	START_SITE("", "main");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sem_init(&is_held, 0, 0);
	sem_init(&may_hold, 0, 0);
	pthread_create(&holder, NULL, hold_mutex, NULL);
	for (long i = 0; i < rounds; i++) {
		waits();
		shapes();
		run_threads();
		in_other_context();
	}
	printf("path k_compare k_walk_tree main\n");
	print_record();
	return 0;
}
