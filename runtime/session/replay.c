/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds recorded events to the interpreter: see replay.h.
 */
#include "runtime/session/replay.h"
#include "parser/lang/probe.h"
#include "runtime/base/log.h"
#include "runtime/base/recorded_events.h"
#include "runtime/interp/interp.h"
#include "runtime/session/session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NO_POINT = -1 };

/* The recording's number of the tracepoint that a program is on. */
static int point_of(const struct plan_prog *g, const struct recorded_events *all)
{
	size_t n = prog_kind_is(g->kind, PK_RECORD) ? strlen(g->category) : 0;

	for (uint32_t i = 0; n && i < all->n_points; i++)
		if (strncmp(all->points[i], g->category, n) == 0 && all->points[i][n] == ':' &&
		    strcmp(all->points[i] + n + 1, g->event) == 0)
			return (int)i;
	return NO_POINT;
}

void replay_prepare(struct session_prep *prep)
{
	const struct recorded_events *all = prep->replay;

	prep->config.self_tgid = 0;
	prep->config.start_ns = all->start;
	prep->config.boot_to_wall_ns = all->wall - all->start;
	prep->config.tai_ns = all->tai - all->start;
}

void replay_open(struct session *s)
{
	const struct recorded_events *all = s->replay;

	s->boot_offset_ns = all->wall - all->start;
	s->tai_seconds = (uint32_t)((all->tai - all->wall + 500000000u) / 1000000000u);
	s->tai_measured = true;
	s->replay_ns = all->start;
	interp_replay(s->interp, all);
}

/* ---- the run ------------------------------------------------------------------------------ */

struct replay {
	struct session *s;
	int *points;	  /* of each program */
	uint64_t *due_ns; /* of each interval */
	bool (*drain)(void *ctx);
	void *ctx;
	bool is_over;
};

static int run_program(struct replay *r, uint32_t prog)
{
	int err = session_run_prog(r->s, prog);

	r->is_over |= !r->drain(r->ctx);
	return err;
}

static bool is_interval(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_TRACER) && prog_kind_is(g->kind, PK_PERIOD);
}

/* The interval that is due first, until `end`; -1: none. */
static int64_t next_interval(const struct replay *r, uint64_t end)
{
	const struct plan *p = r->s->plan;
	int64_t next = -1;

	for (uint32_t i = 0; i < p->n_progs; i++)
		if (is_interval(&p->progs[i]) && r->due_ns[i] <= end &&
		    (next < 0 || r->due_ns[i] < r->due_ns[next]))
			next = i;
	return next;
}

static int run_intervals(struct replay *r, uint64_t end)
{
	int64_t next;
	int err = 0;

	while (!err && !r->is_over && (next = next_interval(r, end)) >= 0) {
		r->s->replay_ns = r->due_ns[next];
		interp_set_time(r->s->interp, r->due_ns[next]);
		r->due_ns[next] += r->s->plan->progs[next].period_ns;
		err = run_program(r, (uint32_t)next);
	}
	return err;
}

static int run_event(struct replay *r, const struct recorded_event *e)
{
	const struct plan *p = r->s->plan;
	bool is_set = false;
	int err = 0;

	for (uint32_t i = 0; i < p->n_progs && !err && !r->is_over; i++) {
		if (r->points[i] != (int)e->point)
			continue;
		r->s->replay_ns = e->time;
		if (!is_set)
			interp_set_event(r->s->interp, e);
		is_set = true;
		err = run_program(r, i);
	}
	return err;
}

static int run_all(struct replay *r, const struct recorded_events *all)
{
	int err = 0;

	for (uint32_t i = 0; i < all->n_events && !err && !r->is_over; i++) {
		err = run_intervals(r, all->events[i].time);
		if (!err && !r->is_over)
			err = run_event(r, &all->events[i]);
	}
	if (!err && !r->is_over)
		err = run_intervals(r, all->end);
	if (!r->is_over)
		r->s->replay_ns = all->end;
	interp_set_time(r->s->interp, r->s->replay_ns);
	return err;
}

int replay_run(struct session *s, bool (*drain)(void *ctx), void *ctx)
{
	const struct plan *p = s->plan;
	struct replay r = {.s = s,
			   .points = calloc(p->n_progs + 1, sizeof(int)),
			   .due_ns = calloc(p->n_progs + 1, sizeof(uint64_t)),
			   .drain = drain,
			   .ctx = ctx};
	int err = r.points && r.due_ns ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < p->n_progs && !err; i++) {
		r.points[i] = point_of(&p->progs[i], s->replay);
		if (is_interval(&p->progs[i]))
			r.due_ns[i] = s->replay->start + p->progs[i].period_ns;
	}
	if (err)
		log_error("cannot replay: %s", strerror(-err));
	else
		err = run_all(&r, s->replay);
	free(r.points);
	free(r.due_ns);
	return err;
}
