/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a run and the line of progress: see progress.h. A thread writes the line, because
 * the work is done in libraries, the kernel and our own loops alike.
 */
#include "runtime/base/progress.h"
#include "runtime/base/terminal.h"
#include "runtime/base/clock.h"
#include "runtime/base/thread.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	QUIET_NS = 500000000,
	STEP_NS = 100000000,
	LINE_BYTES = 128,
};

static const struct {
	const char *name, *doing;
} rows[] = {
	[STAGE_NONE] = {NULL, NULL},
#define STAGE(id, name, doing) [STAGE_##id] = {name, doing},
#include "runtime/base/stages.def"
#undef STAGE
};
_Static_assert(sizeof(rows) / sizeof(*rows) == STAGE_COUNT, "a row for each stage");

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed, started;
	bool runs; /* the thread */
	bool is_enabled, has_thread;
	enum stage stage;
	uint64_t began_ns;	  /* the stage */
	uint64_t shown_from_ns;	  /* the first of the stages with a line that follow each other */
	uint64_t total, done;	  /* items; 0: they are not counted */
	uint64_t ns[STAGE_COUNT]; /* of stages that have ended */
	volatile sig_atomic_t is_shown;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the line ------------------------------------------------------------------------------ */

static void show(uint64_t now)
{
	double seconds = 1e-9 * (double)(now - progress.shown_from_ns);
	const char *doing = rows[progress.stage].doing;
	char text[LINE_BYTES];

	if (progress.total)
		snprintf(text, sizeof(text), "sonde: %s: %llu of %llu, %.1f s", doing,
			 (unsigned long long)progress.done, (unsigned long long)progress.total,
			 seconds);
	else
		snprintf(text, sizeof(text), "sonde: %s, %.1f s", doing, seconds);
	progress.is_shown = 1;
	terminal_draw(text);
}

static void remove_line(void)
{
	if (progress.is_shown)
		terminal_erase();
	progress.is_shown = 0;
}

static void wait_ns(uint64_t ns)
{
	struct timespec t = clock_timespec(clock_ns(CLOCK_REALTIME) + ns);

	pthread_cond_timedwait(&progress.changed, &progress.lock, &t);
}

static void *write_lines(void *unused)
{
	pthread_mutex_lock(&progress.lock);
	progress.runs = true;
	pthread_cond_signal(&progress.started);
	for (;;) {
		uint64_t now = monotonic_ns();

		if (!rows[progress.stage].doing) {
			pthread_cond_wait(&progress.changed, &progress.lock);
		} else if (now - progress.shown_from_ns < QUIET_NS) {
			wait_ns(progress.shown_from_ns + QUIET_NS - now);
		} else {
			show(now);
			wait_ns(STEP_NS);
		}
	}
	return NULL;
}

/* The end by a signal: leave the terminal's line empty. */
static void on_signal(int number)
{
	if (progress.is_shown)
		terminal_erase();
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signal(int number)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

static void lock(void)
{
	pthread_mutex_lock(&progress.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&progress.lock);
}

/* A child has no such thread. */
static void forget(void)
{
	progress.has_thread = false;
	unlock();
}

/* Wait until the thread runs: a fork() while it is being created can leave a lock of gcc 12's
 * AddressSanitizer taken in the child. */
static void wait_for_thread(void)
{
	pthread_mutex_lock(&progress.lock);
	while (!progress.runs)
		pthread_cond_wait(&progress.started, &progress.lock);
	pthread_mutex_unlock(&progress.lock);
}

static bool start_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_atfork(lock, unlock, forget);
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = thread_start(&thread, &attr, write_lines, NULL);
	pthread_attr_destroy(&attr);
	if (!err)
		wait_for_thread();
	return !err;
}

/* ---- the stages ---------------------------------------------------------------------------- */

void progress_enable(void)
{
	progress.is_enabled = isatty(STDERR_FILENO) && terminal_is_ours();
}

void progress_begin(void)
{
	progress_stage(STAGE_NONE);
	memset(progress.ns, 0, sizeof(progress.ns));
}

void progress_stage(enum stage stage)
{
	bool is_first = progress.is_enabled && !progress.has_thread && rows[stage].doing;
	uint64_t now = monotonic_ns();

	pthread_mutex_lock(&progress.lock);
	progress.ns[progress.stage] += progress.stage ? now - progress.began_ns : 0;
	if (!rows[progress.stage].doing)
		progress.shown_from_ns = now;
	if (!rows[stage].doing)
		remove_line();
	progress.stage = stage;
	progress.began_ns = now;
	progress.total = progress.done = 0;
	pthread_cond_signal(&progress.changed);
	pthread_mutex_unlock(&progress.lock);
	if (is_first)
		progress.has_thread = progress.is_enabled = start_thread();
}

void progress_items(uint64_t total)
{
	pthread_mutex_lock(&progress.lock);
	progress.total = total;
	progress.done = 0;
	pthread_mutex_unlock(&progress.lock);
}

void progress_done(uint64_t done)
{
	pthread_mutex_lock(&progress.lock);
	progress.done = done;
	pthread_mutex_unlock(&progress.lock);
}

void progress_clear(void)
{
	if (!progress.has_thread)
		return;
	pthread_mutex_lock(&progress.lock);
	remove_line();
	pthread_mutex_unlock(&progress.lock);
}

void progress_clear_inherited(void)
{
	if (progress.is_enabled)
		terminal_erase();
}

void progress_elsewhere(enum stage stage, uint64_t ns)
{
	progress.ns[stage] += ns;
}

uint64_t progress_ns(enum stage stage)
{
	uint64_t now = monotonic_ns();

	return progress.ns[stage] + (stage == progress.stage ? now - progress.began_ns : 0);
}

const char *progress_name(enum stage stage)
{
	return rows[stage].name;
}
