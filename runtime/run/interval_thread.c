/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that runs the programs of intervals when they are due, in the same way as BEGIN. Unlike
 * programs of a perf event, which run in an interrupt, they can allocate memory, and no other
 * program on the CPU keeps them from running.
 *
 * Late firings are made up for at once. Of those later than LATE_NS, all but the newest of each
 * interval are skipped and counted. The thread sleeps with a real-time priority, so that it wakes
 * up in time on a busy machine. After a window in which it slept for less than half of the time, it
 * has normal priority for the next window, so that other threads run, too.
 *
 * When it is stopped, it runs what was due by then, for at most REST_NS. Until it has
 * ended, other threads only access `lock`, `wake` and `stop_ns`.
 */
#include "runtime/run/interval_thread.h"
#include "runtime/base/clock.h"
#include "runtime/base/hold_cpu.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"
#include "runtime/session/session.h"
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

enum {
	LATE_NS = 100 * 1000000,
	WINDOW_NS = 20 * 1000000,
	REST_NS = 50 * 1000000,
};

struct tick {
	uint32_t prog; /* index in plan->progs */
	uint64_t period_ns, due_ns, n_lost;
	uint64_t ran_ns; /* when its last run ended */
};

struct interval_thread {
	const struct session *s;
	struct tick *ticks;
	uint32_t n_ticks;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	uint64_t stop_ns;	      /* UINT64_MAX until a stop is requested */
	uint64_t checked_ns;	      /* when due times were last checked */
	uint64_t window_ns, slept_ns; /* start of the window, time asleep in it */
	bool may_set_realtime, is_realtime;
	int err;
};

/* Without permission nothing changes. */
static void set_realtime(struct interval_thread *t, bool realtime)
{
	struct sched_param param = {.sched_priority = realtime};

	if (t->may_set_realtime && t->is_realtime != realtime &&
	    pthread_setschedparam(pthread_self(), realtime ? SCHED_FIFO : SCHED_OTHER, &param) == 0)
		t->is_realtime = realtime;
}

static void share_cpu(struct interval_thread *t)
{
	/* the last check is for stop_ns, which may be before the window */
	uint64_t length = t->checked_ns > t->window_ns ? t->checked_ns - t->window_ns : 0;

	if (length < WINDOW_NS)
		return;
	set_realtime(t, t->slept_ns >= length / 2);
	t->window_ns = t->checked_ns;
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
	struct timespec at = clock_timespec(ns);

	pthread_mutex_lock(&t->lock);
	if (t->stop_ns == UINT64_MAX)
		pthread_cond_timedwait(&t->wake, &t->lock, &at);
	pthread_mutex_unlock(&t->lock);
	t->slept_ns += monotonic_ns() - t->checked_ns;
}

/* An interval that is behind waits since its last run, so that others do not wait for all of its
 * late firings. */
static uint64_t waiting_since(const struct tick *k, uint64_t now)
{
	if (k->due_ns > now || k->due_ns > k->ran_ns)
		return k->due_ns;
	return k->ran_ns < now ? k->ran_ns : now;
}

/* The one that waits longest, or else is due next; the first in the script of several. */
static struct tick *next_tick(const struct interval_thread *t)
{
	struct tick *next = &t->ticks[0];

	for (uint32_t i = 1; i < t->n_ticks; i++)
		if (waiting_since(&t->ticks[i], t->checked_ns) < waiting_since(next, t->checked_ns))
			next = &t->ticks[i];
	return next;
}

/* Skip the firings that are too late. */
static void skip_late(struct tick *k, uint64_t now)
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

	skip_late(k, t->checked_ns);
	k->due_ns += k->period_ns;
	err = session_run_prog(t->s, k->prog);
	k->ran_ns = monotonic_ns();
	return err;
}

/* Count what was due but has not run. Firings that became due after the last check, when exit() was
 * called, do not count. */
static void count_rest(struct interval_thread *t)
{
	for (uint32_t i = 0; i < t->n_ticks; i++) {
		struct tick *k = &t->ticks[i];

		if (k->due_ns <= t->checked_ns)
			k->n_lost += (t->checked_ns - k->due_ns) / k->period_ns + 1;
	}
}

/* Sleep, or run one program. False at the end. */
static bool step(struct interval_thread *t)
{
	uint64_t stop_ns = stop_requested(t), now = monotonic_ns();
	bool is_stopping = now >= stop_ns;
	struct tick *next;

	if (exit_called(t))
		return false;
	t->checked_ns = is_stopping ? stop_ns : now;
	share_cpu(t);
	next = next_tick(t);
	if (next->due_ns <= t->checked_ns) {
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
	set_realtime(t, true);
	while (step(t))
		;
	count_rest(t);
	if (t->err)
		eventfd_write(t->s->stop_fd, 1);
	return NULL;
}

/* ---- called by other threads --------------------------------------------------------------- */

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

int interval_thread_start(const struct session *s, struct interval_thread **out)
{
	struct interval_thread *t = calloc(1, sizeof(*t));
	int err = t ? find_ticks(t, s->plan) : -ENOMEM;

	if (!err && t->n_ticks) {
		t->s = s;
		t->may_set_realtime = sched_getscheduler(0) == SCHED_OTHER;
		pthread_mutex_init(&t->lock, NULL);
		thread_condition_init(&t->wake);
		t->stop_ns = UINT64_MAX;
		t->checked_ns = t->window_ns = monotonic_ns();
		for (uint32_t i = 0; i < t->n_ticks; i++)
			t->ticks[i].due_ns = t->checked_ns + t->ticks[i].period_ns;
		err = thread_start(&t->thread, NULL, run, t);
	}
	if (err)
		log_error("cannot start the interval thread: %s%s", strerror(-err),
			  limit_hint_process(err));
	if (!err && t->n_ticks)
		*out = t;
	else
		interval_thread_free(t);
	return err;
}

void interval_thread_protect(const struct session *s)
{
	hold_cpu_set(s->interval_thread && kernel_has(s->kernel, CAP_REALTIME) &&
		     kernel_has(s->kernel, CAP_RAW_PREEMPTION));
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
