/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that are open at the beginning or at the end of a replay: runs the programs that visit
 * threads, as open_spans.c does.
 */
#include "runtime/replay/replay_impl.h"
#include "runtime/interp/interp.h"

static bool has_visits(const struct session *s)
{
	return s->control &&
	       FIND(s->plan->progs, s->plan->n_progs, prog_kind_is(item->kind, PK_SPANS));
}

/* Run the programs that visit threads for one of them. */
static int visit(struct replay *r, const struct recorded_edge *edge)
{
	const struct plan *p = r->s->plan;
	int err = 0;

	for (uint32_t i = 0; i < p->n_progs && !err; i++) {
		if (!prog_kind_is(p->progs[i].kind, PK_SPANS))
			continue;
		r->now_ns = edge->time;
		interp_set_visit(r->s->interp, edge);
		err = replay_run_program(r, i);
	}
	return err;
}

int replay_visit_begins(struct replay *r)
{
	const struct recorded_events *all = r->all;
	int err = 0;

	if (!has_visits(r->s))
		return 0;
	r->s->control->open_begins = 1;
	for (uint32_t i = 0; i < all->n_begins && !err; i++)
		err = visit(r, &all->begins[i]);
	r->s->control->open_begins = 0;
	return err;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* A thread in *seen was visited. */
static int visit_new(struct replay *r, const struct recorded_edge *edge, uint8_t *seen)
{
	uint8_t *is_seen = &seen[r->all->threads[edge->thread].first];

	if (*is_seen)
		return 0;
	*is_seen = 1;
	return visit(r, edge);
}

/* A replay that ends early: the next switch of a thread says where it was. */
static int visit_before(struct replay *r, uint64_t time, uint8_t *seen)
{
	const struct recorded_events *all = r->all;
	int err = 0;

	for (uint32_t i = r->next; i < all->n_events && !err; i++) {
		const struct recorded_event *e = &all->events[i];
		struct recorded_edge edge = {.time = time,
					     .thread = e->thread,
					     .cpu = e->cpu,
					     .kstack = e->kind == RECORDED_BACK ? e->kstack : 0,
					     .words = e->words,
					     .is_on_cpu = e->kind != RECORDED_BACK};

		if (e->kind != RECORDED_EVENT || e->has_state)
			err = visit_new(r, &edge, seen);
	}
	return err;
}

/* Without switches it is not known which threads there are: each that was seen is visited. */
static int visit_threads(struct replay *r, uint64_t time, uint8_t *seen)
{
	int err = 0;

	for (uint32_t i = r->all->n_threads; i-- > 1 && !err;) {
		struct recorded_edge edge = {.time = time, .thread = i};

		err = visit_new(r, &edge, seen);
	}
	return err;
}

static int visit_all(struct replay *r, uint64_t time, uint8_t *seen)
{
	const struct recorded_events *all = r->all;
	int err = visit_before(r, time, seen);

	for (uint32_t i = 0; i < all->n_ends && !err; i++) {
		struct recorded_edge edge = all->ends[i];

		edge.time = time;
		err = visit_new(r, &edge, seen);
	}
	return err ?: visit_threads(r, time, seen);
}

int replay_visit_ends(struct replay *r)
{
	const struct recorded_events *all = r->all;
	uint64_t time = r->next < all->n_events ? r->now_ns : all->open_end;
	uint8_t *seen;
	int err;

	if (!has_visits(r->s))
		return 0;
	seen = calloc(all->n_threads + 1u, 1);
	if (!seen)
		return -ENOMEM;
	r->s->control->end_ns = all->mono + (time - all->start);
	err = visit_all(r, time, seen);
	free(seen);
	return err;
}
