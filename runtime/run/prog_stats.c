/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --stats and --max-overhead: the kernel counts the runs of each program and their time while a
 * descriptor of BPF_ENABLE_STATS is open, which adds about 40 ns to a run. It does not count what
 * it takes to get to a program, such as the trap of a uprobe. A row of --stats is a program: probes
 * of one event that share a program share the row. A program also runs for what its probes do not
 * want: for other system calls, and for threads out of scope. So it counts the hits of its probes
 * itself.
 */
#include "runtime/run/prog_stats.h"
#include "runtime/output/out.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/session/session.h"
#include "runtime/run/loss.h"
#include <bpf/bpf.h>
#include <unistd.h>

enum { CHECK_NS = 500000000 };

/* ---- reading ------------------------------------------------------------------------------- */

static void read_prog(const struct session *s, uint32_t prog, bool all, struct prog_counters *c)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	bool counts = g->n_probes && !prog_kind_is(g->kind, PK_RUNS_ARE_HITS);
	struct bpf_prog_info info;

	if (!session_prog_info(s, prog, &info))
		return;
	c->hits = counts ? loss_hits(s, prog, SONDE_HITS) : info.run_cnt;
	c->runs = info.run_cnt;
	c->ns = info.run_time_ns;
	if (!all)
		return;
	c->kstacks = loss_hits(s, prog, SONDE_KSTACKS);
	c->recalled = loss_hits(s, prog, SONDE_RECALLED);
	c->missed = session_skipped_runs(s, prog) + loss_missed(s, prog);
	c->lost = 0;
	for (uint32_t i = 0; i < g->n_probes; i++)
		c->lost += loss_of_probe(s, g->probes[i]);
}

static void read_clocks(struct prog_moment *m)
{
	m->ns = monotonic_ns();
	m->self_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Read the counters; `all`: losses, too. After the end, only END and the like still run. */
static void read_now(struct prog_stats *p, const struct session *s, bool all)
{
	read_clocks(&p->now);
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (!p->end_ns || prog_kind_is(s->plan->progs[i].kind, PK_OUTSIDE))
			read_prog(s, i, all, &p->now.progs[i]);
}

/* What is now is the beginning of what is measured next. */
static void keep_now(struct prog_moment *m, const struct prog_stats *p, const struct session *s)
{
	memcpy(m->progs, p->now.progs, s->plan->n_progs * sizeof(*m->progs));
	m->ns = p->now.ns;
	m->self_ns = p->now.self_ns;
}

static struct prog_counters difference(const struct prog_counters *now,
				       const struct prog_counters *before)
{
	return (struct prog_counters){
		.hits = now->hits - before->hits,
		.runs = now->runs - before->runs,
		.ns = now->ns - before->ns,
		.missed = now->missed - before->missed,
		.lost = now->lost - before->lost,
		.kstacks = now->kstacks - before->kstacks,
		.recalled = now->recalled - before->recalled,
	};
}

int prog_stats_open(struct prog_stats *p, const struct session *s, bool prints, double limit)
{
	struct prog_moment *const moments[] = {&p->begin, &p->printed, &p->checked, &p->now};

	if (!prints && !limit)
		return 0;
	p->prints = prints;
	p->limit = limit;
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
		moments[i]->progs = calloc(s->plan->n_progs + 1, sizeof(struct prog_counters));
		if (!moments[i]->progs)
			return -ENOMEM;
	}
	p->fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (p->fd < 0)
		return -errno;
	session_count_hits(s, true);
	read_now(p, s, false);
	keep_now(&p->checked, p, s);
	prog_stats_begin(p);
	return 0;
}

void prog_stats_begin(struct prog_stats *p)
{
	read_clocks(&p->begin);
	read_clocks(&p->printed);
}

void prog_stats_stop(struct prog_stats *p, const struct session *s)
{
	if (!p->prints)
		return;
	read_now(p, s, true);
	p->end_ns = p->now.ns;
}

/* ---- --max-overhead ------------------------------------------------------------------------ */

/* The program that cost most. */
static void report_dearest(const struct prog_stats *p, const struct session *s, double percent_ns)
{
	struct prog_counters most = {0}, d;
	uint32_t prog = 0;

	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		d = difference(&p->now.progs[i], &p->checked.progs[i]);
		if (d.ns > most.ns) {
			most = d;
			prog = i;
		}
	}
	if (!most.runs || !session_first_probe(s, prog))
		return;
	log_warning("most of it is %s: %.1f %%, %llu hits in %llu runs of %llu ns",
		    session_prog_name(s, prog), (double)most.ns / percent_ns,
		    (unsigned long long)most.hits, (unsigned long long)most.runs,
		    (unsigned long long)(most.ns / most.runs));
}

bool prog_stats_is_too_much(struct prog_stats *p, const struct session *s)
{
	uint64_t cost;
	double percent_ns, percent;

	if (!p->limit || monotonic_ns() < p->checked.ns + CHECK_NS)
		return false;
	read_now(p, s, false);
	cost = p->now.self_ns - p->checked.self_ns;
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		cost += p->now.progs[i].ns - p->checked.progs[i].ns;
	percent_ns =
		(double)(p->now.ns - p->checked.ns) * (double)sysconf(_SC_NPROCESSORS_ONLN) / 100;
	percent = (double)cost / percent_ns;
	if (percent <= p->limit) {
		keep_now(&p->checked, p, s);
		return false;
	}
	log_warning("--max-overhead %g: tracing took %.1f %% of the time of all CPUs and was ended",
		    p->limit, percent);
	report_dearest(p, s, percent_ns);
	return true;
}

/* ---- --stats ------------------------------------------------------------------------------- */

/* One of several programs that mark the descendants of -c and --follow. */
static bool is_follower(const struct plan_prog *g)
{
	return !g->n_probes && !g->n_starts;
}

/* "a, b, c", from malloc; of a hidden program "start of a". */
static char *name_of(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	const uint32_t *probes = g->n_probes ? g->probes : g->starts;
	uint32_t n = g->n_probes ? g->n_probes : g->n_starts;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (!g->n_probes)
		fputs(is_follower(g) ? "following processes" : "start of ", f);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? ", " : "", s->plan->probes[probes[i]].name);
	fclose(f);
	return text;
}

static void print(const struct prog_stats *p, const struct session *s, struct out *out,
		  const struct prog_moment *since)
{
	struct view_stats v = {.elapsed_ns = (p->end_ns ? p->end_ns : p->now.ns) - since->ns,
			       .self_ns = p->now.self_ns - since->self_ns,
			       .is_all = since == &p->begin};
	struct view_stats_row *rows = calloc(s->plan->n_progs + 1, sizeof(*rows)),
			      *followers = NULL;

	for (uint32_t i = 0; rows && i < s->plan->n_progs; i++) {
		struct prog_counters d = difference(&p->now.progs[i], &since->progs[i]);
		bool is_one = is_follower(&s->plan->progs[i]);
		struct view_stats_row *row = is_one && followers ? followers : &rows[v.n];

		if (!s->plan->progs[i].n_probes && !d.runs)
			continue; /* a hidden one, which this run may not need */
		row->hits += d.hits;
		row->runs += d.runs;
		row->ns += d.ns;
		row->missed += d.missed;
		row->lost += d.lost;
		row->kstacks += d.kstacks;
		row->recalled += d.recalled;
		if (row == followers)
			continue;
		row->name = name_of(s, i);
		v.n += row->name != NULL;
		if (is_one && row->name)
			followers = row;
	}
	v.rows = rows;
	out->stats(out, &v);
	for (uint32_t i = 0; i < v.n; i++)
		free((char *)(uintptr_t)rows[i].name);
	free(rows);
}

void prog_stats_print(struct prog_stats *p, const struct session *s, struct out *out)
{
	if (!p->prints)
		return;
	read_now(p, s, true);
	print(p, s, out, &p->printed);
	keep_now(&p->printed, p, s);
}

void prog_stats_print_all(struct prog_stats *p, const struct session *s, struct out *out)
{
	if (!p->prints)
		return;
	read_now(p, s, true);
	print(p, s, out, &p->begin);
}

void prog_stats_close(struct prog_stats *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->begin.progs);
	free(p->printed.progs);
	free(p->checked.progs);
	free(p->now.progs);
}
