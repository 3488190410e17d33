/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds recorded events to the interpreter: see replay.h.
 */
#include "runtime/run/replay.h"
#include "runtime/run/replay_impl.h"
#include "parser/lang/probe.h"
#include "runtime/base/log.h"
#include "runtime/base/recorded_events.h"
#include "runtime/interp/interp.h"
#include "bpf_helpers/shared.h"
#include "runtime/session/session.h"
#include "runtime/session/prep.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which program runs at which event ----------------------------------------------------- */

static const char switch_point[] = "sched:sched_switch", exit_point[] = "sched:sched_process_exit";

/* Is that the event of a program? One for system calls has all of them, sys_enter_NAME, and tells
 * them apart by number. */
static bool is_point(const struct plan_prog *g, const char *point)
{
	size_t n = strlen(g->category), event = strlen(g->event);

	return strncmp(point, g->category, n) == 0 && point[n] == ':' &&
	       strncmp(point + n + 1, g->event, event) == 0 &&
	       (!point[n + 1 + event] ||
		(prog_kind_is(g->kind, PK_SYSCALL) && point[n + 1 + event] == '_'));
}

/* Timers, events of counters and raw tracepoints are recorded by their names. */
static bool is_named(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_EVENT | PK_TYPED) ||
	       (prog_kind_is(g->kind, PK_PERIOD) && prog_kind_is(g->kind, PK_SCOPED));
}

/* The target of a program on functions whose events are called so, from 1 on; 0: none. */
static uint32_t target_at(const struct plan_prog *g, const char *point)
{
	for (uint32_t i = 0; i < plan_n_targets(g); i++)
		if (g->targets[i].recorded && strcmp(g->targets[i].recorded, point) == 0)
			return i + 1;
	return 0;
}

/* Does the program run at events of that point? Of a function, the target's number, from 1 on. */
static uint32_t runs_at(const struct plan *p, const struct plan_prog *g, const char *point)
{
	if (is_named(g))
		return g->n_probes && strcmp(p->probes[g->probes[0]].name, point) == 0;
	if (prog_kind_is(g->kind, PK_SWITCH))
		return strcmp(point, switch_point) == 0;
	if (prog_kind_is(g->kind, PK_ENDS))
		return strcmp(point, RECORDED_ENDED) == 0 || strcmp(point, RECORDED_REPLACED) == 0;
	if (plan_n_targets(g))
		return target_at(g, point);
	return (prog_kind_is(g->kind, PK_SYSCALL) || prog_kind_is(g->kind, PK_RECORD)) &&
	       is_point(g, point);
}

/* The first row whose traits the program's kind has. */
static enum interp_context context_of(const struct plan_prog *g)
{
	static const struct {
		uint32_t traits;
		enum interp_context context;
	} rows[] = {
		{PK_SWITCH, INTERP_SWITCH},
		{PK_SYSCALL | PK_RETURN, INTERP_SYSCALL_EXIT},
		{PK_SYSCALL, INTERP_SYSCALL_ENTER},
		{PK_USDT, INTERP_VALUES},
		{PK_USER_FUNCTION | PK_RETURN, INTERP_RETURN},
		{PK_USER_FUNCTION, INTERP_CALL},
		{PK_KERNEL_FUNCTION | PK_RETURN, INTERP_RETURN},
		{PK_KERNEL_FUNCTION, INTERP_CALL},
	};
	uint32_t traits = prog_rows[g->kind].traits;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if ((traits & rows[i].traits) == rows[i].traits)
			return rows[i].context;
	return INTERP_RECORD;
}

/* A target that is no entry is an instruction by which the function is left. */
static void set_context(struct interp *p, const struct plan_prog *g, uint32_t run)
{
	const struct plan_target *t = plan_n_targets(g) ? &g->targets[run - 1] : NULL;
	enum interp_context kind = context_of(g);

	if (t && kind == INTERP_CALL && prog_kind_is(g->kind, PK_USER_FUNCTION) && !t->is_entry)
		kind = INTERP_EXIT;
	interp_set_context(p, kind, prog_rows[g->kind].tracer_frames);
	if (t)
		interp_set_cookie(p, t->cookie);
}

void replay_prepare(struct session_prep *prep)
{
	const struct recorded_events *all = prep->replay;

	prep->config.self_tgid = UINT32_MAX; /* nobody; 0 is the idle task */
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

int replay_run_program(struct replay *r, uint32_t prog)
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
		err = replay_run_program(r, (uint32_t)next);
	}
	return err;
}

static uint32_t is_run(const struct replay *r, uint32_t prog, const struct recorded_event *e)
{
	if (e->kind == RECORDED_EVENT)
		return r->runs[(size_t)prog * r->s->replay->n_points + e->point];
	return prog_kind_is(r->s->plan->progs[prog].kind, PK_SWITCH);
}

/* What is kept of a thread ends with it: at its last switch, or where these were not recorded. */
static void forget_thread(const struct replay *r, const struct recorded_event *e)
{
	const struct recorded_events *all = r->s->replay;
	const char *point = e->kind == RECORDED_EVENT ? all->points[e->point] : "";
	bool has_ended = e->has_state ? e->state & RECORDED_ENDS
				      : strcmp(point, RECORDED_ENDED) == 0 ||
						(!all->n_ends && strcmp(point, exit_point) == 0);

	if (has_ended)
		interp_forget_thread(r->s->interp, all->threads[e->thread].tid);
}

static int run_event(struct replay *r, const struct recorded_event *e)
{
	const struct plan *p = r->s->plan;
	bool is_set = false;
	int err = 0;

	for (uint32_t i = 0; i < p->n_progs && !err && !r->is_over; i++) {
		const struct plan_prog *g = &p->progs[i];
		uint32_t run = is_run(r, i, e);

		if (!run)
			continue;
		r->s->replay_ns = e->time;
		if (!is_set)
			interp_set_event(r->s->interp, e);
		is_set = true;
		set_context(r->s->interp, g, run);
		err = replay_run_program(r, i);
	}
	forget_thread(r, e);
	return err;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int run_events(struct replay *r, const struct recorded_events *all)
{
	int err = 0;

	while (r->next < all->n_events && !err && !r->is_over) {
		err = run_intervals(r, all->events[r->next].time);
		if (!err && !r->is_over)
			err = run_event(r, &all->events[r->next++]);
	}
	if (!err && !r->is_over)
		err = run_intervals(r, all->end);
	return err;
}

static int run_all(struct replay *r, const struct recorded_events *all)
{
	int err = replay_visit_begins(r) ?: run_events(r, all) ?: replay_visit_ends(r);

	if (!r->is_over)
		r->s->replay_ns = all->end;
	interp_set_time(r->s->interp, r->s->replay_ns);
	return err;
}

static void find_runs(struct replay *r, const struct recorded_events *all)
{
	const struct plan *p = r->s->plan;

	for (uint32_t i = 0; i < p->n_progs; i++) {
		for (uint32_t k = 0; k < all->n_points; k++)
			r->runs[(size_t)i * all->n_points + k] =
				runs_at(p, &p->progs[i], all->points[k]);
		if (is_interval(&p->progs[i]))
			r->due_ns[i] = all->start + p->progs[i].period_ns;
	}
}

int replay_run(struct session *s, bool (*drain)(void *ctx), void *ctx)
{
	struct replay r = {.s = s,
			   .runs = calloc((size_t)(s->plan->n_progs + 1u) *
						  (s->replay->n_points + 1u),
					  sizeof(uint32_t)),
			   .due_ns = calloc(s->plan->n_progs + 1u, sizeof(uint64_t)),
			   .drain = drain,
			   .ctx = ctx};
	int err = r.runs && r.due_ns ? 0 : -ENOMEM;

	if (err) {
		log_error("cannot replay: %s", strerror(-err));
	} else {
		find_runs(&r, s->replay);
		err = run_all(&r, s->replay);
	}
	free(r.runs);
	free(r.due_ns);
	return err;
}
