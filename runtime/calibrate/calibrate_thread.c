/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeats the calibration while the script runs, since the speed of a machine changes: other
 * programs use the other thread of a core, its frequency changes, or a host gives the time to other
 * guests. What programs subtract are words of the control block, which are replaced.
 *
 * A batch of calls is made on a CPU on which the script's programs run: the next program that
 * begins a span answers with its CPU (cost_ask). Without an answer nothing is measured. At first
 * batches follow soon, for programs that end soon.
 */
#include "runtime/calibrate/calibrate_thread.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"
#include "runtime/calibrate/calibrate_state.h"
#include "runtime/session/session.h"
#include <sched.h>
#include <sys/prctl.h>

enum {
	FIRST_NS = 5 * 1000000, /* between batches, doubled up to: */
	PERIOD_NS = 100 * 1000000,
	MOST_NS = 80 * 1000, /* after this time no other kind is measured */
};

struct calibrate_thread {
	struct session *s;
	struct calibration *state;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool must_stop;
	uint32_t next; /* kind to be measured */
	uint64_t period_ns;
};

/* ---- what was measured --------------------------------------------------------------------- */

static void keep(struct calibrate_series *s, uint64_t value)
{
	if (s->n == CALIBRATE_VALUES) {
		for (uint32_t i = 0; i < CALIBRATE_VALUES / 2; i++)
			s->values[i] = s->values[2 * i];
		s->n = CALIBRATE_VALUES / 2;
		s->every *= 2;
	}
	s->values[s->n++] = value;
}

/* The median of the last batches: one that was disturbed does not count. */
static uint64_t usual(const struct calibrate_series *s)
{
	uint64_t sorted[CALIBRATE_LAST];
	uint32_t n = s->n_added < CALIBRATE_LAST ? (uint32_t)s->n_added : CALIBRATE_LAST;

	memcpy(sorted, s->last, sizeof(sorted));
	return calibrate_quantile(sorted, n, 50);
}

/* Replace a word of the control block, which programs read meanwhile. */
static void add(struct calibrate_series *s, uint64_t value, uint64_t *word)
{
	s->every = s->every ?: 1;
	s->last[s->n_added % CALIBRATE_LAST] = value;
	if (s->n_added++ % s->every == 0)
		keep(s, usual(s));
	__atomic_store_n(word, usual(s), __ATOMIC_RELAXED);
}

static struct calibrate_kind *kind_of(struct calibrate_thread *t, uint32_t i)
{
	return &t->state->kinds[i / SONDE_COST_CLASSES][i % SONDE_COST_CLASSES];
}

/* Of a function with a program at each exit, the exit has costs of its own. */
static bool measure_exit(struct calibrate_thread *t, uint64_t *call_ns)
{
	struct calibrate_kind *exit = &t->state->kinds[SONDE_COST_EXITS][SONDE_COST_RET];
	struct calibrate_batch b;

	if (!exit->is_open || calibrate_probe_measure(&exit->probe, &b))
		return false;
	*call_ns = b.cost.call_ns;
	return true;
}

static void measure(struct calibrate_thread *t, struct calibrate_kind *k)
{
	struct sonde_cost *shown = &t->s->control->costs[k->probe.method][k->probe.class];
	struct calibrate_batch b;
	uint64_t exit_ns = 0;

	if (calibrate_probe_measure(&k->probe, &b))
		return;
	if (k->probe.method == SONDE_COST_EXITS && k->probe.class != SONDE_COST_RET) {
		if (!measure_exit(t, &exit_ns))
			return;
		b.cost.call_ns = b.cost.call_ns > exit_ns ? b.cost.call_ns - exit_ns : 1;
	}
	add(&k->floors, b.cost.floor_ns, &shown->floor_ns);
	add(&k->calls, b.cost.call_ns, &shown->call_ns);
}

/* ---- the thread ---------------------------------------------------------------------------- */

/* If that CPU is not for us, any other is better than none. */
static void move_to(uint32_t cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

/* As many as fit in the time, beginning with the one behind the last. */
static void measure_some(struct calibrate_thread *t)
{
	uint32_t n = SONDE_COST_METHODS * SONDE_COST_CLASSES;
	uint64_t end = monotonic_ns() + MOST_NS;

	for (uint32_t i = 0; i < n && monotonic_ns() < end; i++) {
		struct calibrate_kind *k = kind_of(t, t->next++ % n);

		if (k->is_open)
			measure(t, k);
	}
}

/* False: the thread must stop. */
static bool sleep_for(struct calibrate_thread *t, uint64_t ns)
{
	struct timespec at = clock_timespec(monotonic_ns() + ns);
	bool must_stop;

	pthread_mutex_lock(&t->lock);
	if (!t->must_stop)
		pthread_cond_timedwait(&t->wake, &t->lock, &at);
	must_stop = t->must_stop;
	pthread_mutex_unlock(&t->lock);
	return !must_stop;
}

static void *run(void *arg)
{
	struct calibrate_thread *t = arg;
	struct sonde_control *c = t->s->control;
	uint32_t cpu;

	prctl(PR_SET_NAME, "sonde-calibrate");
	t->period_ns = FIRST_NS;
	__atomic_store_n(&c->cost_ask, 1, __ATOMIC_RELAXED);
	while (sleep_for(t, t->period_ns)) {
		t->period_ns = 2 * t->period_ns < PERIOD_NS ? 2 * t->period_ns : PERIOD_NS;
		if (__atomic_load_n(&c->cost_ask, __ATOMIC_ACQUIRE))
			continue;
		cpu = __atomic_load_n(&c->cost_cpu, __ATOMIC_RELAXED);
		__atomic_store_n(&c->cost_ask, 1, __ATOMIC_RELAXED);
		move_to(cpu);
		measure_some(t);
	}
	return NULL;
}

/* ---- called by other threads --------------------------------------------------------------- */

static int start(struct session *s)
{
	struct calibrate_thread *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->s = s;
	t->state = s->tracer_time_state;
	pthread_mutex_init(&t->lock, NULL);
	thread_condition_init(&t->wake);
	err = thread_start(&t->thread, NULL, run, t);
	if (err)
		free(t);
	else
		t->state->thread = t;
	return err;
}

void calibrate_thread_start(struct session *s)
{
	int err = start(s);

	if (err)
		log_warning("calibration: cannot repeat it while the script runs: %s%s",
			    strerror(-err), limit_hint_process(err));
}

void calibrate_thread_stop(struct session *s)
{
	struct calibration *c = s->tracer_time_state;
	struct calibrate_thread *t = c ? c->thread : NULL;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->must_stop = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	free(t);
	c->thread = NULL;
}
