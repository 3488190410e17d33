/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line of a run's state on a terminal: how long it has been tracing, how many events the script
 * sends a second, what was lost. Runs of programs are known only while the kernel counts them
 * (--max-overhead), since counting takes time in each run.
 */
#include "runtime/session/loop_state.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

enum {
	FIRST_NS = 500000000, /* shorter runs have no such line */
	EVERY_NS = 1000000000,
	AGAIN_NS = 100000000, /* after output */
	PROGS = 64,	      /* with more, their counters are not read */
	PROBES = 1000,	      /* with more, losses are read less often */
};

/* A command writes to the terminal whenever it likes. */
void loop_status_open(struct loop *l)
{
	const struct loop_options *o = l->o;

	if (l->events.out->round || o->quiet || o->tests || (o->command && o->command->pid))
		return;
	status_open();
	l->status.begin_ns = monotonic_ns();
	l->status.next_ns = l->status.begin_ns + FIRST_NS;
	l->status.read_ns = l->status.begin_ns;
}

/* Runs of all programs, and runs that the kernel skipped. */
static void count_runs(const struct session *s, uint64_t *n_runs, uint64_t *n_skipped)
{
	*n_runs = *n_skipped = 0;
	for (uint32_t i = 0; s->plan->n_progs <= PROGS && i < s->plan->n_progs; i++) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(s->progs[i]), &info, &len))
			continue;
		*n_runs += info.run_cnt;
		*n_skipped += info.recursion_misses;
	}
}

static unsigned long long per_second(uint64_t n, uint64_t ns)
{
	return ns ? (unsigned long long)((double)n * 1e9 / (double)ns + 0.5) : 0;
}

static void read_state(struct loop *l, uint64_t now)
{
	uint64_t n_runs, n_skipped, ns = now - l->status.read_ns;
	unsigned long long seconds = (now - l->status.begin_ns) / 1000000000;
	char *at = l->status.text, *end = at + sizeof(l->status.text);

	count_runs(l->s, &n_runs, &n_skipped);
	at += snprintf(at, (size_t)(end - at), "%02llu:%02llu", seconds / 60, seconds % 60);
	if (l->s->plan->n_events)
		at += snprintf(at, (size_t)(end - at), "  %llu events/s",
			       per_second(l->events.n_events - l->status.n_events, ns));
	if (n_runs)
		at += snprintf(at, (size_t)(end - at), "  %llu runs/s",
			       per_second(n_runs - l->status.n_runs, ns));
	snprintf(at, (size_t)(end - at), "  %llu lost  Ctrl-C ends",
		 (unsigned long long)(n_skipped + loss_total(l->s)));
	l->status.n_events = l->events.n_events;
	l->status.n_runs = n_runs;
	l->status.read_ns = now;
}

void loop_status_update(struct loop *l)
{
	uint64_t now = status_is_open() ? monotonic_ns() : 0;
	bool is_due = now >= l->status.next_ns;

	if (!now || (!is_due && (status_is_shown() || !l->status.text[0] ||
				 now < l->status.shown_ns + AGAIN_NS)))
		return;
	if (is_due) {
		read_state(l, now);
		l->status.next_ns = now + EVERY_NS * (1 + l->s->plan->n_probes / PROBES);
	}
	l->status.shown_ns = now;
	status_show(l->status.text);
}
