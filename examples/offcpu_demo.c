/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload with known answers, for `./dev demo` and the live tests: one thread that sleeps, waits
 * for a lock, reads a pipe and computes, each in a function of its own name, for known times.
 *
 * offcpu_demo [SCALE%] [--expected] [--measured]
 *
 * SCALE multiplies the number of rounds (100 by default, about 4 s). --expected prints one line
 * `expected FUNCTION MILLISECONDS ROUNDS` for each function before the work starts. --measured
 * prints a line `measured FUNCTION NANOSECONDS` for each at the end: the elapsed time less the time
 * that its thread was on the CPU, which shows how late the timers of a busy machine are.
 *
 * It waits as programs do, in functions of the C library, and is built as distributions build:
 * optimized, without frame pointers (examples/CMakeLists.txt). Only inlining is prevented, so that
 * each wait has a name. The helper thread, whose waits are not part of the result, is named
 * "offcpu_helper".
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum {
	SLEEP_LONG_MS = 50,
	SLEEP_LONG_ROUNDS = 40,
	SLEEP_SHORT_MS = 5,
	SLEEP_SHORT_ROUNDS = 40,
	LOCK_MS = 20,
	LOCK_ROUNDS = 30,
	PIPE_MS = 10,
	PIPE_ROUNDS = 50,
	COMPUTE_MS = 300,
};

static struct timespec from_ms(long ms)
{
	return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
}

/* ---- the helper thread: holds the lock, writes to the pipe, on request --------------------- */

enum order { ORDER_LOCK, ORDER_WRITE, ORDER_STOP };

static struct {
	sem_t is_ordered, is_locked;
	enum order order;
	pthread_mutex_t lock;
	int pipe[2];
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wait_for(sem_t *event)
{
	while (sem_wait(event) && errno == EINTR)
		;
}

static void *run_helper(void *arg)
{
	struct timespec lock_time = from_ms(LOCK_MS), write_time = from_ms(PIPE_MS);

	prctl(PR_SET_NAME, "offcpu_helper");
	for (;;) {
		wait_for(&shared.is_ordered);
		switch (shared.order) {
		case ORDER_LOCK:
			pthread_mutex_lock(&shared.lock);
			sem_post(&shared.is_locked);
			nanosleep(&lock_time, NULL);
			pthread_mutex_unlock(&shared.lock);
			break;
		case ORDER_WRITE:
			nanosleep(&write_time, NULL);
			if (write(shared.pipe[1], "x", 1) != 1)
				abort();
			break;
		case ORDER_STOP: return arg;
		}
	}
}

static void give_order(enum order order)
{
	shared.order = order;
	sem_post(&shared.is_ordered);
}

/* ---- the expected results ------------------------------------------------------------------ */

NOINLINE void sleep_long(int rounds);
NOINLINE void sleep_short(int rounds);
NOINLINE void wait_for_lock(int rounds);
NOINLINE void read_pipe(int rounds);
NOINLINE uint64_t compute(int rounds);

NOINLINE void sleep_long(int rounds)
{
	struct timespec pause = from_ms(SLEEP_LONG_MS);

	for (int i = 0; i < rounds; i++)
		nanosleep(&pause, NULL);
}

NOINLINE void sleep_short(int rounds)
{
	struct timespec pause = from_ms(SLEEP_SHORT_MS);

	for (int i = 0; i < rounds; i++)
		nanosleep(&pause, NULL);
}

NOINLINE void wait_for_lock(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		give_order(ORDER_LOCK);
		wait_for(&shared.is_locked);
		pthread_mutex_lock(&shared.lock);
		pthread_mutex_unlock(&shared.lock);
	}
}

NOINLINE void read_pipe(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		char byte;

		give_order(ORDER_WRITE);
		while (read(shared.pipe[0], &byte, 1) < 0 && errno == EINTR)
			;
	}
}

/* Spins until the thread has used COMPUTE_MS of CPU time per round, not counting preemption. */
NOINLINE uint64_t compute(int rounds)
{
	uint64_t sum = 0, want_ns = (uint64_t)rounds * COMPUTE_MS * 1000000, now_ns;
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (uint64_t i = 0; i < 100000; i++)
			sum = sum * 6364136223846793005u + i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		now_ns = (uint64_t)(now.tv_sec - begin.tv_sec) * 1000000000 +
			 (uint64_t)(now.tv_nsec - begin.tv_nsec);
	} while (now_ns < want_ns);
	return sum;
}

static int64_t clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time that this thread has spent off the CPU. */
static int64_t off_cpu_now(void)
{
	int64_t on = clock_now(CLOCK_THREAD_CPUTIME_ID);

	return clock_now(CLOCK_MONOTONIC) - on;
}

static int scaled(int rounds, long percent)
{
	long n = rounds * percent / 100;

	return n < 1 ? 1 : (int)n;
}

static void print_expected(long percent)
{
	static const struct {
		const char *name;
		int ms, rounds;
	} rows[] = {
		{"sleep_long", SLEEP_LONG_MS, SLEEP_LONG_ROUNDS},
		{"sleep_short", SLEEP_SHORT_MS, SLEEP_SHORT_ROUNDS},
		{"wait_for_lock", LOCK_MS, LOCK_ROUNDS},
		{"read_pipe", PIPE_MS, PIPE_ROUNDS},
		{"compute", 0, 1}, /* on the CPU, so no time off it */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int rounds = scaled(rows[i].rounds, percent);

		printf("expected %s %d %d\n", rows[i].name, rows[i].ms * rounds, rounds);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"sleep_long", "sleep_short", "wait_for_lock",
					    "read_pipe"};
	bool want_expected = false, want_measured = false;
	int64_t at[5];
	long percent = 100;
	pthread_t helper;

	for (int i = 1; i < argc; i++) {
		char *end;

		if (strcmp(argv[i], "--expected") == 0) {
			want_expected = true;
			continue;
		}
		if (strcmp(argv[i], "--measured") == 0) {
			want_measured = true;
			continue;
		}
		percent = strtol(argv[i], &end, 10);
		if (percent < 1 || percent > 10000 || (*end && strcmp(end, "%") != 0)) {
			fprintf(stderr, "usage: offcpu_demo [SCALE%%] [--expected] [--measured]\n");
			return 1;
		}
	}
	if (want_expected)
		print_expected(percent);
	if (pipe(shared.pipe) || sem_init(&shared.is_ordered, 0, 0) ||
	    sem_init(&shared.is_locked, 0, 0) || pthread_create(&helper, NULL, run_helper, NULL)) {
		perror("offcpu_demo");
		return 1;
	}
	at[0] = off_cpu_now();
	sleep_long(scaled(SLEEP_LONG_ROUNDS, percent));
	at[1] = off_cpu_now();
	sleep_short(scaled(SLEEP_SHORT_ROUNDS, percent));
	at[2] = off_cpu_now();
	wait_for_lock(scaled(LOCK_ROUNDS, percent));
	at[3] = off_cpu_now();
	read_pipe(scaled(PIPE_ROUNDS, percent));
	at[4] = off_cpu_now();
	compute(scaled(1, percent));
	give_order(ORDER_STOP);
	pthread_join(helper, NULL);
	for (int i = 0; want_measured && i < 4; i++)
		printf("measured %s %lld\n", names[i], (long long)(at[i + 1] - at[i]));
	return 0;
}
