/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of threads on and off the CPU, as programs saw them when they ended. Each becomes an event
 * where the thread comes back, and gives the event where it left the time at which that program saw
 * it; so a replay measures the same length. A start that is missing is made.
 */
#include "runtime/recording/raw_impl.h"
#include "runtime/base/vec.h"
#include "runtime/output/out.h"
#include "parser/base/arena.h"
#include <stdlib.h>
#include <string.h>

/* Two programs on one switch read the clock within this time: the first one may walk a stack of
 * pages that are not in the cache, for 55 us and more. The nearest moment counts. */
#define NEAR_NS 2000000

/* Where a thread leaves the CPU, or comes back. */
struct moment {
	uint32_t tid;
	uint64_t time;
	uint32_t event; /* its index; moments of coming back have none */
};

struct moments {
	struct moment *items;
	uint32_t n;
};

struct switches {
	struct raw_reader *r;
	struct moments aways, backs;
};

static int by_thread(const void *x, const void *y)
{
	const struct moment *a = x, *b = y;

	return ORDER(a->tid, b->tid) ?: ORDER(a->time, b->time);
}

static int by_time(const void *x, const void *y)
{
	const struct recorded_event *a = x, *b = y;

	return ORDER(a->time, b->time) ?: ORDER(a->seq, b->seq);
}

void raw_sort(struct recorded_events *out)
{
	if (out->n_events)
		qsort(out->events, out->n_events, sizeof(*out->events), by_time);
}

static void sort_moments(struct moments *m)
{
	if (m->n)
		qsort(m->items, m->n, sizeof(*m->items), by_thread);
}

/* How many moments are before `time` of the thread. */
static size_t count_before(const struct moments *m, uint32_t tid, uint64_t time)
{
	const struct moment key = {.tid = tid, .time = time};

	return vec_bound(m, by_thread(item, &key) < 0);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The thread's moment that is next to `time`; NULL: none is near. */
static struct moment *find_near(const struct moments *all, uint32_t tid, uint64_t time)
{
	size_t at = count_before(all, tid, time);
	struct moment *m = all->items, *best = NULL;

	for (size_t i = at ? at - 1 : 0; i < all->n && i <= at; i++)
		if (m[i].tid == tid && distance(m[i].time, time) < NEAR_NS &&
		    (!best || distance(m[i].time, time) < distance(best->time, time)))
			best = &m[i];
	return best;
}

/* The thread's last moment; NULL: it has none. */
static struct moment *find_last(const struct moments *m, uint32_t tid)
{
	size_t at = count_before(m, tid, UINT64_MAX);

	return at && m->items[at - 1].tid == tid ? &m->items[at - 1] : NULL;
}

static uint32_t tid_of(const struct switches *w, uint32_t thread)
{
	return w->r->out->threads[thread].tid;
}

/* ---- collecting --------------------------------------------------------------------------- */

static void find_moments(struct switches *w)
{
	static const char name[] = "sched:sched_switch";
	const struct recorded_events *out = w->r->out;
	struct arena *a = w->r->rec->arena;

	for (uint32_t i = 0; i < out->n_events; i++) {
		const struct recorded_event *e = &out->events[i];

		if (strcmp(out->points[e->point], name) == 0)
			arena_push(a, w->aways.items, w->aways.n,
				   ((struct moment){tid_of(w, e->thread), e->time, i}));
	}
	for (uint32_t i = 0; i < w->r->n_spans; i++) {
		const struct raw_span *s = &w->r->spans[i];

		if (!s->is_on_cpu && !s->is_open)
			arena_push(a, w->backs.items, w->backs.n,
				   ((struct moment){.tid = tid_of(w, s->thread), .time = s->time}));
	}
	sort_moments(&w->aways);
	sort_moments(&w->backs);
}

/* Until when open times count: the same moment for all of them. */
static uint64_t end_of_open(const struct switches *w)
{
	const struct recorded_events *out = w->r->out;

	for (uint32_t i = 0; i < w->r->n_spans; i++) {
		const struct raw_span *s = &w->r->spans[i];
		const struct moment *m;

		if (!s->is_open || s->is_on_cpu || s->is_cut)
			continue;
		m = find_last(&w->aways, tid_of(w, s->thread));
		if (m)
			return m->time + s->length;
	}
	__auto_type open = FIND(w->r->spans, w->r->n_spans, item->is_open);

	return open ? open->time : out->end;
}

/* ---- making ------------------------------------------------------------------------------- */

static void add_event(const struct switches *w, const struct raw_span *s, enum recorded_kind kind,
		      uint64_t time)
{
	struct recorded_events *out = w->r->out;
	struct recorded_event e = {.time = time,
				   .seq = s->seq,
				   .kind = kind,
				   .cpu = s->cpu,
				   .thread = s->thread,
				   .kstack = kind == RECORDED_BACK ? s->kstack : 0,
				   .ustack = s->ustack,
				   .words = kind == RECORDED_BACK ? s->words : NULL};

	arena_push(w->r->rec->arena, out->events, out->n_events, e);
}

static struct recorded_edge edge_of(const struct raw_span *s, uint64_t time)
{
	return (struct recorded_edge){.time = time,
				      .thread = s->thread,
				      .cpu = s->cpu,
				      .kstack = s->kstack,
				      .words = s->words,
				      .is_on_cpu = s->is_on_cpu};
}

static void add_begin(const struct switches *w, const struct raw_span *s, uint64_t time)
{
	struct recorded_events *out = w->r->out;

	arena_push(w->r->rec->arena, out->begins, out->n_begins, edge_of(s, time));
}

static void take_off_cpu(const struct switches *w, const struct raw_span *s, uint64_t began)
{
	uint32_t tid = tid_of(w, s->thread);
	struct moment *m =
		s->is_open ? find_last(&w->aways, tid) : find_near(&w->aways, tid, began);

	if (m && !s->is_cut)
		w->r->out->events[m->event].time = began;
	else if (s->is_cut)
		add_begin(w, s, began);
	else
		add_event(w, s, RECORDED_AWAY, began);
	if (!s->is_open)
		add_event(w, s, RECORDED_BACK, s->time);
}

/* Only first times of threads, and those that are open, are recorded: most begin where a thread
 * comes back. */
static void take_on_cpu(const struct switches *w, const struct raw_span *s, uint64_t began)
{
	if (s->is_cut)
		add_begin(w, s, began);
	else if (!find_near(&w->backs, tid_of(w, s->thread), began))
		add_event(w, s, RECORDED_BACK, began);
}

void raw_switches(struct raw_reader *r)
{
	struct switches w = {.r = r};
	struct recorded_events *out = r->out;

	if (!r->n_spans)
		return;
	find_moments(&w);
	out->open_end = end_of_open(&w);
	for (uint32_t i = 0; i < r->n_spans; i++) {
		const struct raw_span *s = &r->spans[i];
		uint64_t end = s->is_open ? out->open_end : s->time;
		uint64_t began = end > s->length ? end - s->length : 0;

		if (s->is_open)
			arena_push(r->rec->arena, out->ends, out->n_ends, edge_of(s, end));
		if (s->is_on_cpu)
			take_on_cpu(&w, s, began);
		else
			take_off_cpu(&w, s, began);
	}
	raw_sort(out);
}
