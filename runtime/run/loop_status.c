/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line of a run's state on a terminal: how long it has been tracing, how many events the script
 * sends a second, or how often its probes are hit in scope, and what was lost. Programs count hits
 * only when asked: for scripts that send no events they do so for a tenth of the time, unless they
 * count anyway (--max-overhead, --stats).
 */
#include "runtime/run/loop_state.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/run/loss.h"

enum {
	FIRST_NS = 500000000, /* shorter runs have no such line */
	EVERY_NS = 1000000000,
	AGAIN_NS = 100000000,  /* after output */
	SAMPLE_NS = 100000000, /* in which hits are counted, before the line is drawn again */
	PROGS = 64,	       /* with more, their counters are not read */
	PROBES = 1000,	       /* with more, losses are read less often */
};

/* A command writes to the terminal whenever it likes. */
void loop_status_open(struct loop *l)
{
	const struct loop_options *o = l->o;

	if (l->events.out->input || o->quiet || o->tests || (o->command && o->command->pid))
		return;
	status_open();
	l->status.begin_ns = monotonic_ns();
	l->status.next_ns = l->status.begin_ns + FIRST_NS;
	l->status.read_ns = l->status.begin_ns;
}

/* Runs that the kernel skipped. */
static uint64_t count_skipped(const struct session *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; s->plan->n_progs <= PROGS && i < s->plan->n_progs; i++)
		n += session_skipped_runs(s, i);
	return n;
}

static unsigned long long per_second(uint64_t n, uint64_t ns)
{
	return ns ? (unsigned long long)((double)n * 1e9 / (double)ns + 0.5) : 0;
}

static void begin_sample(struct loop *l, uint64_t now)
{
	loss_total(l->s, &l->status.sample_hits);
	session_count_hits(l->s, true);
	l->status.sample_ns = now;
}

static void end_sample(struct loop *l)
{
	if (l->status.sample_ns)
		session_count_hits(l->s, false);
	l->status.sample_ns = 0;
}

/* Does nothing else say how busy the probes are? */
static bool wants_sample(const struct loop *l)
{
	return !l->s->plan->n_events && !session_counts_hits(l->s) &&
	       l->s->plan->n_probes <= PROBES;
}

static void read_state(struct loop *l, uint64_t now)
{
	uint64_t n_hits, ns = now - l->status.read_ns, sampled = l->status.sample_ns;
	uint64_t n_lost = count_skipped(l->s) + loss_total(l->s, &n_hits);
	unsigned long long seconds = (now - l->status.begin_ns) / 1000000000;
	char *at = l->status.text, *end = at + sizeof(l->status.text);

	at += snprintf(at, (size_t)(end - at), "%02llu:%02llu", seconds / 60, seconds % 60);
	if (l->s->plan->n_events)
		at += snprintf(at, (size_t)(end - at), "  %llu events/s",
			       per_second(l->events.n_events - l->status.n_events, ns));
	if (sampled)
		at += snprintf(at, (size_t)(end - at), "  ~%llu hits/s",
			       per_second(n_hits - l->status.sample_hits, now - sampled));
	else if (session_counts_hits(l->s))
		at += snprintf(at, (size_t)(end - at), "  %llu hits/s",
			       per_second(n_hits - l->status.n_hits, ns));
	snprintf(at, (size_t)(end - at), "  %llu lost or cut  Ctrl-C ends",
		 (unsigned long long)n_lost);
	l->status.n_events = l->events.n_events;
	l->status.n_hits = n_hits;
	l->status.read_ns = now;
}

void loop_status_update(struct loop *l)
{
	uint64_t now = status_is_open() ? monotonic_ns() : 0;
	bool is_due = now >= l->status.next_ns;

	if (now + SAMPLE_NS >= l->status.next_ns && !is_due && !l->status.sample_ns &&
	    wants_sample(l))
		begin_sample(l, now);
	if (!now || (!is_due && (status_is_shown() || !l->status.text[0] ||
				 now < l->status.shown_ns + AGAIN_NS)))
		return;
	if (is_due) {
		read_state(l, now);
		end_sample(l);
		l->status.next_ns = now + EVERY_NS * (1 + l->s->plan->n_probes / PROBES);
	}
	l->status.shown_ns = now;
	status_show(l->status.text);
}

void loop_status_close(struct loop *l)
{
	end_sample(l);
	status_close();
}
