/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --stats: the kernel counts the runs of each program and their time while a descriptor of
 * BPF_ENABLE_STATS is open, which adds about 40 ns to a run. It does not count what it takes to get
 * to a program, such as the trap of a uprobe. A row is a program: probes of one event that share a
 * program share the row. A program also runs for what its probes do not want: for other system
 * calls, and for threads out of scope. So it counts the hits of its probes itself.
 */
#include "runtime/run/prog_stats.h"
#include "runtime/output/out.h"
#include "runtime/base/clock.h"
#include "runtime/session/session.h"
#include "runtime/run/loss.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CPU time of all threads of this process. */
static uint64_t self_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void prog_stats_begin(struct prog_stats *p)
{
	p->begin_ns = p->printed_ns = monotonic_ns();
	p->begin_self_ns = p->printed_self_ns = self_ns();
}

int prog_stats_open(struct prog_stats *p, const struct session *s)
{
	*p = (struct prog_stats){.fd = bpf_enable_stats(BPF_STATS_RUN_TIME),
				 .now = calloc(s->plan->n_progs + 1, sizeof(*p->now)),
				 .printed = calloc(s->plan->n_progs + 1, sizeof(*p->printed))};
	if (p->fd < 0)
		return -errno;
	session_count_hits(s, true);
	prog_stats_begin(p);
	return p->now && p->printed ? 0 : -ENOMEM;
}

/* ---- reading ------------------------------------------------------------------------------- */

static void read_prog(const struct session *s, uint32_t prog, struct prog_counters *c)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	bool counts = g->n_probes && !prog_kind_is(g->kind, PK_RUNS_ARE_HITS);
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(s->progs[prog]), &info, &len))
		return;
	*c = (struct prog_counters){.hits = counts ? loss_hits(s, prog) : info.run_cnt,
				    .runs = info.run_cnt,
				    .ns = info.run_time_ns,
				    .missed = info.recursion_misses + loss_missed(s, prog)};
	for (uint32_t i = 0; i < g->n_probes; i++)
		c->lost += loss_of_probe(s, g->probes[i]);
}

/* After the end, only END and the like still run. */
static void read_all(struct prog_stats *p, const struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (!p->end_ns || prog_kind_is(s->plan->progs[i].kind, PK_OUTSIDE))
			read_prog(s, i, &p->now[i]);
}

void prog_stats_stop(struct prog_stats *p, const struct session *s)
{
	if (p->fd < 0)
		return;
	read_all(p, s);
	p->end_ns = monotonic_ns();
}

/* ---- rows ---------------------------------------------------------------------------------- */

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

static void add(struct view_stats_row *to, const struct view_stats_row *row)
{
	to->hits += row->hits;
	to->runs += row->runs;
	to->ns += row->ns;
	to->missed += row->missed;
	to->lost += row->lost;
}

static struct view_stats_row row_of(const struct prog_counters *now,
				    const struct prog_counters *before)
{
	return (struct view_stats_row){
		.hits = now->hits - before->hits,
		.runs = now->runs - before->runs,
		.ns = now->ns - before->ns,
		.missed = now->missed - before->missed,
		.lost = now->lost - before->lost,
	};
}

static void print(const struct prog_stats *p, const struct session *s, struct out *out,
		  const struct prog_counters *before, struct view_stats *v)
{
	struct view_stats_row *rows = calloc(s->plan->n_progs + 1, sizeof(*rows)),
			      *followers = NULL;

	for (uint32_t i = 0; rows && i < s->plan->n_progs; i++) {
		struct view_stats_row *row = &rows[v->n];

		*row = row_of(&p->now[i], &before[i]);
		if (!s->plan->progs[i].n_probes && !row->runs)
			continue; /* a hidden one, which this run may not need */
		if (is_follower(&s->plan->progs[i]) && followers) {
			add(followers, row);
			continue;
		}
		row->name = name_of(s, i);
		v->n += row->name != NULL;
		if (is_follower(&s->plan->progs[i]) && row->name)
			followers = row;
	}
	v->rows = rows;
	out->stats(out, v);
	for (uint32_t i = 0; i < v->n; i++)
		free((char *)(uintptr_t)rows[i].name);
	free(rows);
}

void prog_stats_print(struct prog_stats *p, const struct session *s, struct out *out)
{
	uint64_t now = monotonic_ns(), self = self_ns();
	struct view_stats v = {.elapsed_ns = now - p->printed_ns,
			       .self_ns = self - p->printed_self_ns};

	if (p->fd < 0)
		return;
	read_all(p, s);
	print(p, s, out, p->printed, &v);
	memcpy(p->printed, p->now, s->plan->n_progs * sizeof(*p->now));
	p->printed_ns = now;
	p->printed_self_ns = self;
}

void prog_stats_print_all(struct prog_stats *p, const struct session *s, struct out *out)
{
	struct view_stats v = {.elapsed_ns = p->end_ns - p->begin_ns,
			       .self_ns = self_ns() - p->begin_self_ns,
			       .is_all = true};
	struct prog_counters *none;

	if (p->fd < 0)
		return;
	read_all(p, s);
	none = calloc(s->plan->n_progs + 1, sizeof(*none));
	if (none)
		print(p, s, out, none, &v);
	free(none);
}

void prog_stats_close(struct prog_stats *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	free(p->now);
	free(p->printed);
	p->now = p->printed = NULL;
}
