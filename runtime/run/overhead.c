/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --max-overhead: the share of the CPUs' time that the programs and sonde itself take. The kernel
 * counts the runs of each program and their time while a descriptor of BPF_ENABLE_STATS is open,
 * which adds about 40 ns to a run. It does not count what it takes to get to a program, such as the
 * trap of a uprobe.
 */
#include "runtime/run/overhead.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/session/session.h"
#include "runtime/run/loss.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHECK_NS = 500000000 };

/* CPU time of all threads of this process. */
static uint64_t self_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Read the counters of all programs. The sum of what they cost since the last call. */
static uint64_t read_progs(struct overhead *o, const struct session *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		struct overhead_prog *p = &o->progs[i];
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(s->progs[i]), &info, &len))
			continue;
		p->cost_ns = info.run_time_ns - p->run_ns;
		p->n = info.run_cnt - p->runs;
		p->n_hits = loss_hits(s, i) - p->hits;
		p->hits += p->n_hits;
		p->run_ns = info.run_time_ns;
		p->runs = info.run_cnt;
		sum += p->cost_ns;
	}
	return sum;
}

int overhead_begin(struct overhead *o, const struct session *s, double limit)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*o = (struct overhead){.limit = limit,
			       .stats_fd = -1,
			       .n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 1,
			       .progs = calloc(s->plan->n_progs + 1, sizeof(*o->progs))};
	if (!limit)
		return 0;
	if (!o->progs)
		return -ENOMEM;
	o->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (o->stats_fd < 0)
		return -errno;
	session_count_hits(s, true);
	read_progs(o, s);
	o->self_ns = self_ns();
	o->at_ns = monotonic_ns();
	return 0;
}

static const struct plan_probe *probe_of(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	const uint32_t *probes = g->n_probes ? g->probes : g->n_starts ? g->starts : NULL;

	return probes ? &s->plan->probes[*probes] : NULL;
}

/* The program that cost most. */
static void report_dearest(const struct overhead *o, const struct session *s, double percent_ns)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (o->progs[i].cost_ns > o->progs[most].cost_ns)
			most = i;
	if (!o->progs[most].n || !probe_of(s, most))
		return;
	log_warning("most of it is %s: %.1f %%, %llu hits in %llu runs of %llu ns",
		    probe_of(s, most)->name, (double)o->progs[most].cost_ns / percent_ns,
		    (unsigned long long)o->progs[most].n_hits, (unsigned long long)o->progs[most].n,
		    (unsigned long long)(o->progs[most].cost_ns / o->progs[most].n));
}

bool overhead_is_exceeded(struct overhead *o, const struct session *s)
{
	uint64_t now = o->stats_fd >= 0 ? monotonic_ns() : 0, self, cost;
	double percent_ns, percent;

	if (now < o->at_ns + CHECK_NS)
		return false;
	self = self_ns();
	cost = read_progs(o, s) + self - o->self_ns;
	percent_ns = (double)(now - o->at_ns) * o->n_cpus / 100;
	percent = (double)cost / percent_ns;
	if (percent <= o->limit) {
		o->at_ns = now;
		o->self_ns = self;
		return false;
	}
	log_warning("--max-overhead %g: tracing took %.1f %% of the time of all CPUs and was ended",
		    o->limit, percent);
	report_dearest(o, s, percent_ns);
	return true;
}

void overhead_end(struct overhead *o)
{
	if (o->stats_fd >= 0)
		close(o->stats_fd);
	o->stats_fd = -1;
	free(o->progs);
	o->progs = NULL;
}
