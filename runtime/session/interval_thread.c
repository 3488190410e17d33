/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that runs the programs of intervals when they are due, as BEGIN is run. There they may
 * take memory, and no other program on the CPU keeps them from running; a perf event's run in an
 * interrupt.
 * Firings that are late are made up for at once; of those later than LATE_NS all but the newest of
 * each interval are left out and counted. The thread sleeps with a real-time priority, so that it
 * is woken in time on a busy machine; when it has slept for less than half of a while, it has none
 * for the next, so that others run too.
 * Asked to stop, it makes up for what was due by then, but for no longer than REST_NS. Until it has
 * ended, only `lock`, `wake` and `stop_ns` are touched by another thread.
 */
#define _GNU_SOURCE
#include "runtime/session/interval_thread.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/session/session.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

enum {
	LATE_NS = 100 * 1000000,
	WHILE_NS = 20 * 1000000,
	REST_NS = 50 * 1000000,
};

struct tick {
	uint32_t prog; /* index in plan->progs */
	uint64_t period_ns, due_ns, n_lost;
	uint64_t ran_ns; /* when it last came to its end */
};

struct interval_thread {
	const struct session *s;
	struct tick *ticks;
	uint32_t n_ticks;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	uint64_t stop_ns;	     /* UINT64_MAX until it is asked to stop */
	uint64_t looked_ns;	     /* when it was last seen what is due */
	uint64_t while_ns, slept_ns; /* since then, the time asleep */
	bool may_be_urgent, is_urgent;
	int err;
};

/* Nothing happens where it is not allowed. */
static void be_urgent(struct interval_thread *t, bool urgent)
{
	struct sched_param param = {.sched_priority = urgent};

	if (t->may_be_urgent && t->is_urgent != urgent &&
	    pthread_setschedparam(pthread_self(), urgent ? SCHED_FIFO : SCHED_OTHER, &param) == 0)
		t->is_urgent = urgent;
}

static void share_cpu(struct interval_thread *t)
{
	/* what is looked at last ends at stop_ns, which may be before */
	uint64_t length = t->looked_ns > t->while_ns ? t->looked_ns - t->while_ns : 0;

	if (length < WHILE_NS)
		return;
	be_urgent(t, t->slept_ns >= length / 2);
	t->while_ns = t->looked_ns;
	t->slept_ns = 0;
}

static uint64_t stop_requested(struct interval_thread *t)
{
	uint64_t stop_ns;

	pthread_mutex_lock(&t->lock);
	stop_ns = t->stop_ns;
	pthread_mutex_unlock(&t->lock);
	return stop_ns;
}

static bool exit_called(const struct interval_thread *t)
{
	return __atomic_load_n(&t->s->control->exiting, __ATOMIC_ACQUIRE);
}

static void sleep_until(struct interval_thread *t, uint64_t ns)
{
	struct timespec at = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	pthread_mutex_lock(&t->lock);
	if (t->stop_ns == UINT64_MAX)
		pthread_cond_timedwait(&t->wake, &t->lock, &at);
	pthread_mutex_unlock(&t->lock);
	t->slept_ns += monotonic_ns() - t->looked_ns;
}

/* An interval that is behind waits since it last ran: others do not have to wait for all that it
 * makes up for. */
static uint64_t waits_since(const struct tick *k, uint64_t now)
{
	if (k->due_ns > now || k->due_ns > k->ran_ns)
		return k->due_ns;
	return k->ran_ns < now ? k->ran_ns : now;
}

/* The one that waits longest, else that is due next; of several the first of the script. */
static struct tick *next_tick(const struct interval_thread *t)
{
	struct tick *next = &t->ticks[0];

	for (uint32_t i = 1; i < t->n_ticks; i++)
		if (waits_since(&t->ticks[i], t->looked_ns) < waits_since(next, t->looked_ns))
			next = &t->ticks[i];
	return next;
}

/* What is too late by now. */
static void leave_out(struct tick *k, uint64_t now)
{
	uint64_t late = now - k->due_ns, n_newer = late / k->period_ns, n;

	if (late <= LATE_NS)
		return;
	n = (late - LATE_NS + k->period_ns - 1) / k->period_ns;
	n = n < n_newer ? n : n_newer;
	k->n_lost += n;
	k->due_ns += n * k->period_ns;
}

static int fire(struct interval_thread *t, struct tick *k)
{
	int err;

	leave_out(k, t->looked_ns);
	k->due_ns += k->period_ns;
	err = session_run_prog(t->s, k->prog);
	k->ran_ns = monotonic_ns();
	return err;
}

/* What was due and has not run. What came due only after the last look, when exit() was called,
 * came after the end. */
static void count_rest(struct interval_thread *t)
{
	for (uint32_t i = 0; i < t->n_ticks; i++) {
		struct tick *k = &t->ticks[i];

		if (k->due_ns <= t->looked_ns)
			k->n_lost += (t->looked_ns - k->due_ns) / k->period_ns + 1;
	}
}

/* Sleep, or run one program. False: the end. */
static bool go_on(struct interval_thread *t)
{
	uint64_t stop_ns = stop_requested(t), now = monotonic_ns();
	bool is_stopping = now >= stop_ns;
	struct tick *next;

	if (exit_called(t))
		return false;
	t->looked_ns = is_stopping ? stop_ns : now;
	share_cpu(t);
	next = next_tick(t);
	if (next->due_ns <= t->looked_ns) {
		if (is_stopping && now - stop_ns > REST_NS)
			return false;
		t->err = fire(t, next);
		return t->err == 0;
	}
	if (!is_stopping)
		sleep_until(t, next->due_ns);
	return !is_stopping;
}

static void *run(void *arg)
{
	struct interval_thread *t = arg;

	prctl(PR_SET_NAME, "sonde-interval");
	prctl(PR_SET_TIMERSLACK, 1);
	be_urgent(t, true);
	while (go_on(t))
		;
	count_rest(t);
	if (t->err)
		eventfd_write(t->s->stop_fd, 1);
	return NULL;
}

/* ---- the other threads' side --------------------------------------------------------------- */

static int find_ticks(struct interval_thread *t, const struct plan *p)
{
	t->ticks = calloc(p->n_progs + 1, sizeof(*t->ticks));
	if (!t->ticks)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_progs; i++)
		if (p->progs[i].kind == PP_INTERVAL_THREAD)
			t->ticks[t->n_ticks++] =
				(struct tick){.prog = i, .period_ns = p->progs[i].period_ns};
	return 0;
}

static void init_wake(pthread_cond_t *wake)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(wake, &attr);
	pthread_condattr_destroy(&attr);
}

/* Signals are the main loop's. */
static int start_thread(struct interval_thread *t)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&t->thread, NULL, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int interval_thread_start(const struct session *s, struct interval_thread **out)
{
	struct interval_thread *t = calloc(1, sizeof(*t));
	int err = t ? find_ticks(t, s->plan) : -ENOMEM;

	if (!err && t->n_ticks) {
		t->s = s;
		t->may_be_urgent = sched_getscheduler(0) == SCHED_OTHER;
		pthread_mutex_init(&t->lock, NULL);
		init_wake(&t->wake);
		t->stop_ns = UINT64_MAX;
		t->looked_ns = t->while_ns = monotonic_ns();
		for (uint32_t i = 0; i < t->n_ticks; i++)
			t->ticks[i].due_ns = t->looked_ns + t->ticks[i].period_ns;
		err = start_thread(t);
	}
	if (err)
		log_error("no thread for intervals: %s", strerror(-err));
	if (!err && t->n_ticks)
		*out = t;
	else
		interval_thread_free(t);
	return err;
}

void interval_thread_stop(struct interval_thread *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop_ns = monotonic_ns();
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
}

int interval_thread_error(const struct interval_thread *t)
{
	return t ? t->err : 0;
}

uint64_t interval_thread_lost(const struct interval_thread *t, uint32_t probe)
{
	uint64_t n = 0;

	for (uint32_t i = 0; t && i < t->n_ticks; i++)
		if (t->s->plan->progs[t->ticks[i].prog].probes[0] == probe)
			n += t->ticks[i].n_lost;
	return n;
}

void interval_thread_free(struct interval_thread *t)
{
	if (t)
		free(t->ticks);
	free(t);
}
