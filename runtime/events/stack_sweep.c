/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frees space in the stack store: removes user stacks that no map refers to any more, so that a day
 * of tracing does not fill the store. Runs whenever an eighth of the store has been filled since
 * the last time; new stacks are noted as they are reported. A full store reports none, so from half
 * of the store on time counts, too: less often while sweeps find nothing.
 *
 * A stack is removed after two sweeps in a row have found no reference in a map, if
 *
 * - its process has ended: it adds no record and no map entry with its stacks, and its open spans
 *   are gone with its threads; or
 * - it is idle: no program has looked it up since the sweep before the last one. Each sweep makes
 *   programs look up the stacks that they capture once more, and they note that in the stack
 *   (`seen`). Only if no span can hold a stack: a thread can be off CPU for hours.
 *
 * Others may carry a stack (a program that moves it between maps, an incomplete record), but only
 * for microseconds, and before each sweep all records in the ring are handled.
 *
 * A program can capture an idle stack while it is being removed. It replaces what it finds idle: if
 * that was before the removal, what was removed is not idle, and is put back; if it was after it,
 * the stack is in the store again.
 *
 * Kernel stacks are not removed. There are far fewer of them.
 */
#include "runtime/events/stack_sweep.h"
#include "runtime/base/vec.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/view/map_read.h"
#include "runtime/symbols/procmap.h"
#include "runtime/session/session.h"
#include "runtime/symbols/usym.h"
#include "runtime/events/stacks.h"
#include <bpf/bpf.h>
#include <signal.h>

enum {
	STORE_PART = 8,
	SHARE = 50,		      /* a sweep takes one part of the time in so many */
	STEP = PROCMAP_BOUND_MAX / 4, /* limits the number of mappings of ended processes */
	EPOCHS_ALIVE = SONDE_EPOCH_SLOTS,
};
#define IDLE_NS 100000000ull   /* two sweeps take at least this long before a stack is idle */
#define WAIT_NS 10000000000ull /* the longest time between sweeps of a full store */

struct noted {
	uint64_t hash;
	uint32_t tgid;
	bool was_free;	/* is_free in the last sweep */
	bool is_free;	/* no map refers to it, and it may be removed */
	bool has_ended; /* its process has */
};

struct stack_sweep {
	VEC(struct noted);
	size_t n_swept; /* items left by the last sweep */
	uint32_t step;	/* new items before the next sweep; grows while sweeps find nothing */
	uint64_t swept_ns, swept_before_ns;
	uint64_t wait_ns; /* before the next sweep of a store that is half full */
	uint64_t n_removed;
	bool has_spans; /* that hold stacks */
};

/* Can a span that is open hold a user stack that no map has? */
static bool holds_stacks(const struct plan *p)
{
	return FIND(p->probes, p->n_probes, item->state.n_stacks || item->state.n_entries);
}

struct stack_sweep *stack_sweep_new(const struct plan *p)
{
	struct stack_sweep *w = calloc(1, sizeof(*w));

	if (w)
		w->has_spans = holds_stacks(p);
	return w;
}

void stack_sweep_free(struct stack_sweep *w)
{
	if (w)
		vec_free(w);
	free(w);
}

void stack_sweep_note(struct stack_sweep *w, const struct sonde_stack_event *ev)
{
	/* Without memory the stack stays in the store. */
	(void)vec_push(w, (struct noted){.hash = ev->hash, .tgid = ev->tgid});
}

uint64_t stack_sweep_removed(const struct stack_sweep *w)
{
	return w->n_removed;
}

static uint32_t least_step(const struct session *s)
{
	uint32_t part = s->plan->needs.stack_entries / STORE_PART;

	return part < STEP ? part : STEP;
}

bool stack_sweep_is_due(const struct session *s)
{
	const struct stack_sweep *w = s->stack_sweep;
	uint32_t entries = s->plan->needs.stack_entries;

	if (!w || !w->n || !s->control)
		return false;
	if (w->n - w->n_swept > (w->step ? w->step : least_step(s)))
		return true;
	return w->n >= entries / 2 && monotonic_ns() > w->swept_ns + w->wait_ns;
}

COMPARE(by_tgid, struct noted, ORDER(a->tgid, b->tgid))

/* Mark the stacks that may be removed if no map refers to them. Returns how many are of processes
 * that have ended. */
static uint32_t mark(struct stack_sweep *w)
{
	uint32_t n = 0, tgid = 0;
	bool has_ended = false;

	qsort(w->items, w->n, sizeof(*w->items), by_tgid);
	for (uint32_t i = 0; i < w->n; i++) {
		struct noted *s = &w->items[i];

		if (s->tgid != tgid) {
			tgid = s->tgid;
			has_ended = kill((pid_t)tgid, 0) != 0 && errno == ESRCH;
		}
		s->has_ended = tgid && has_ended;
		s->is_free = s->has_ended || !w->has_spans;
		n += s->has_ended;
	}
	return n;
}

/* Sort by hash. A stack that was replaced is reported twice. */
static void sort_by_hash(struct stack_sweep *w)
{
	size_t n = 0;

	vec_sort(w);
	for (size_t i = 0; i < w->n; i++) {
		if (n && w->items[n - 1].hash == w->items[i].hash)
			w->items[n - 1].was_free = false;
		else
			w->items[n++] = w->items[i];
	}
	w->n = n;
}

/* Any eight bytes equal to a stack's hash count as a reference: at worst a stack is kept too
 * long. */
static void unmark_referenced(struct stack_sweep *w, const uint8_t *bytes, size_t n_bytes)
{
	struct noted key;

	for (size_t at = 0; at + sizeof(key.hash) <= n_bytes; at += sizeof(key.hash)) {
		struct noted *found;

		memcpy(&key.hash, bytes + at, sizeof(key.hash));
		found = bsearch(&key, w->items, w->n, sizeof(*w->items), vec_compare_u64);
		if (found)
			found->is_free = false;
	}
}

/* Look for references in keys and values (aggregations have stacks in keys only). 0 or -errno. */
static int unmark_in_map(struct session *s, uint32_t map)
{
	const struct plan_map *m = &s->plan->maps[map];
	uint32_t epoch = __atomic_load_n(&s->control->epoch[map], __ATOMIC_ACQUIRE);
	struct map_snapshot snap;
	int err;

	if (s->map_fds[map] < 0)
		return 0;
	err = map_snapshot_read(m, s->map_fds[map], epoch - EPOCHS_ALIVE + 1, epoch, &snap);
	if (err)
		return err;
	for (uint32_t i = 0; i < snap.n_rows; i++) {
		if (snap.keys)
			unmark_referenced(s->stack_sweep, map_row_key(m, &snap, i), m->key_size);
		if (!map_is_aggregated(m))
			unmark_referenced(s->stack_sweep, map_row_value(m, &snap, i),
					  m->value_size);
	}
	map_snapshot_free(&snap);
	return 0;
}

/* Remove a stack of a process that runs, if it is idle. Returns false if it stays. */
static bool remove_idle(struct session *s, uint64_t hash)
{
	uint32_t sweeps = s->control->stack_sweeps;
	struct sonde_stack st;

	if (bpf_map_lookup_elem(s->stacks_fd, &hash, &st))
		return true;
	if (!sonde_stack_is_idle(&st, sweeps) ||
	    bpf_map_lookup_and_delete_elem(s->stacks_fd, &hash, &st))
		return false;
	if (sonde_stack_is_idle(&st, sweeps))
		return true;
	/* A program has replaced it. If one has put it in again, that one stays. */
	bpf_map_update_elem(s->stacks_fd, &hash, &st, BPF_NOEXIST);
	return false;
}

static bool remove_stack(struct session *s, const struct noted *n)
{
	const struct stack_sweep *w = s->stack_sweep;

	if (!n->is_free || !n->was_free)
		return false;
	if (n->has_ended)
		bpf_map_delete_elem(s->stacks_fd, &n->hash);
	else if (monotonic_ns() < w->swept_before_ns + IDLE_NS || !remove_idle(s, n->hash))
		return false;
	stacks_evict(s, n->hash);
	return true;
}

/* The stacks of one process: remove those that were free twice, move the rest to items[n_kept].
 * When none is left, drop the symbols of the process. Returns the new n_kept. */
static uint32_t drop_of_process(struct session *s, uint32_t from, uint32_t end, uint32_t n_kept)
{
	struct stack_sweep *w = s->stack_sweep;
	uint32_t n_before = n_kept, tgid = w->items[from].tgid;

	for (uint32_t i = from; i < end; i++) {
		struct noted n = w->items[i];

		if (remove_stack(s, &n))
			continue;
		n.was_free = n.is_free;
		w->items[n_kept++] = n;
	}
	if (n_kept == n_before)
		usyms_release_stacks(s->usyms, tgid);
	return n_kept;
}

/* Returns the number of removed stacks. */
static uint32_t drop_free(struct session *s)
{
	struct stack_sweep *w = s->stack_sweep;
	uint32_t n_kept = 0, n_before = w->n;

	qsort(w->items, w->n, sizeof(*w->items), by_tgid);
	for (uint32_t i = 0, end; i < w->n; i = end) {
		for (end = i + 1; end < w->n && w->items[end].tgid == w->items[i].tgid;)
			end++;
		n_kept = drop_of_process(s, i, end, n_kept);
	}
	w->n = n_kept;
	return n_before - n_kept;
}

static uint32_t count_free(const struct stack_sweep *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++)
		n += w->items[i].is_free;
	return n;
}

/* The time before the next sweep of a store that is half full. */
static uint64_t next_wait(const struct stack_sweep *w, uint64_t took_ns, bool is_useful)
{
	bool is_full = w->n - w->n_swept <= w->step; /* else it ran because of new stacks */
	uint64_t wait = is_useful || !is_full ? IDLE_NS : 2 * w->wait_ns;

	if (wait < SHARE * took_ns)
		wait = SHARE * took_ns;
	return wait < WAIT_NS ? wait : WAIT_NS;
}

/* Invalidate what CPUs remember of stacks, and decide when to sweep next. */
static void end_sweep(struct session *s, bool has_found, bool is_useful, uint64_t begin_ns)
{
	struct stack_sweep *w = s->stack_sweep;

	__atomic_fetch_add(&s->control->stack_sweeps, 1, __ATOMIC_RELEASE);
	w->swept_before_ns = w->swept_ns;
	w->swept_ns = monotonic_ns();
	w->wait_ns = next_wait(w, w->swept_ns - begin_ns, is_useful);
	w->n_swept = w->n;
	w->step = has_found ? least_step(s) : 2 * (w->step ? w->step : least_step(s));
	if (w->step > s->plan->needs.stack_entries / STORE_PART)
		w->step = s->plan->needs.stack_entries / STORE_PART;
}

void stack_sweep_run(struct session *s)
{
	struct stack_sweep *w = s->stack_sweep;
	uint64_t begin_ns = monotonic_ns();
	uint32_t n_ended = mark(w), n_before = w->n, n_dropped = 0, n_free = 0;
	int err = 0;

	sort_by_hash(w);
	for (uint32_t i = 0; (n_ended || !w->has_spans) && !err && i < s->plan->n_maps; i++)
		err = unmark_in_map(s, i);
	if (!err) {
		n_free = count_free(w);
		n_dropped = drop_free(s);
	}
	w->n_removed += n_dropped;
	end_sweep(s, n_ended || n_free >= least_step(s) / STORE_PART, n_free, begin_ns);
	log_verbose("stack store: removed %u user stacks, kept %zu of %u, %u of them not in maps",
		    n_dropped, w->n, n_before, n_free - n_dropped);
}
