/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frees space in the stack store: removes user stacks of processes that have ended when no map
 * refers to them any more, so that a day of short-lived processes does not fill the store. Runs
 * whenever an eighth of the store has been filled since the last time; new stacks are noted as they
 * are reported.
 *
 * Why no stack is removed that is still needed: a process that has ended adds no record and no map
 * entry with its stacks, and its open spans are gone with its threads. Others may carry a stack (a
 * program that moves it between maps, an incomplete record), but only for microseconds: a stack is
 * removed after two sweeps in a row have found no reference, and before each sweep all records in
 * the ring are handled.
 */
#include "runtime/base/vec.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/output/map_read.h"
#include "runtime/symbols/procmap.h"
#include "runtime/session/session.h"
#include "runtime/symbols/usym.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
	STORE_PART = 8,
	STEP = PROCMAP_BOUND_MAX / 4, /* limits the number of mappings of ended processes */
	EPOCHS_ALIVE = SONDE_EPOCH_SLOTS,
};
#define FULL_NS 10000000000ull /* between sweeps of a full store, which reports no new stacks */

struct noted {
	uint64_t hash;
	uint32_t tgid;
	bool was_free; /* is_free in the last sweep */
	bool is_free;  /* its process has ended, and no map refers to it */
};

struct stack_sweep {
	VEC(struct noted);
	size_t n_swept; /* items left by the last sweep */
	uint32_t step;	/* new items before the next sweep; grows while sweeps find nothing */
	uint64_t swept_ns;
	uint64_t n_removed;
};

struct stack_sweep *stack_sweep_new(void)
{
	return calloc(1, sizeof(struct stack_sweep));
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
	return w->n >= entries / 2 && monotonic_ns() > w->swept_ns + FULL_NS;
}

static int by_hash(const void *x, const void *y)
{
	const struct noted *a = x, *b = y;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int by_tgid(const void *x, const void *y)
{
	const struct noted *a = x, *b = y;

	return a->tgid < b->tgid ? -1 : a->tgid > b->tgid;
}

static void sort(struct stack_sweep *w, int (*order)(const void *x, const void *y))
{
	qsort(w->items, w->n, sizeof(*w->items), order);
}

/* Mark the stacks of processes that have ended. Returns their number. */
static uint32_t mark_ended(struct stack_sweep *w)
{
	uint32_t n = 0, tgid = 0;
	bool has_ended = false;

	sort(w, by_tgid);
	for (uint32_t i = 0; i < w->n; i++) {
		struct noted *s = &w->items[i];

		if (s->tgid != tgid) {
			tgid = s->tgid;
			has_ended = kill((pid_t)tgid, 0) != 0 && errno == ESRCH;
		}
		s->is_free = tgid && has_ended;
		n += s->is_free;
	}
	return n;
}

/* Any eight bytes equal to a stack's hash count as a reference: at worst a stack is kept too
 * long. */
static void unmark_referenced(struct stack_sweep *w, const uint8_t *bytes, size_t n_bytes)
{
	struct noted key;

	for (size_t at = 0; at + sizeof(key.hash) <= n_bytes; at += sizeof(key.hash)) {
		struct noted *first = w->items, *end = w->items + w->n, *found;

		memcpy(&key.hash, bytes + at, sizeof(key.hash));
		found = bsearch(&key, first, w->n, sizeof(*first), by_hash);
		while (found && found > first && found[-1].hash == key.hash)
			found--;
		for (; found && found < end && found->hash == key.hash; found++)
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
			unmark_referenced(s->stack_sweep, snap.keys + (size_t)i * m->key_size,
					  m->key_size);
		if (snap.value_bytes)
			unmark_referenced(s->stack_sweep,
					  snap.value_bytes + (size_t)i * m->value_size,
					  m->value_size);
	}
	map_snapshot_free(&snap);
	return 0;
}

/* The stacks of one process: remove those that were free twice, move the rest to items[n_kept].
 * When none is left, drop the symbols of the process. Returns the new n_kept. */
static uint32_t drop_of_process(struct session *s, uint32_t from, uint32_t end, uint32_t n_kept)
{
	struct stack_sweep *w = s->stack_sweep;
	uint32_t n_before = n_kept, tgid = w->items[from].tgid;

	for (uint32_t i = from; i < end; i++) {
		struct noted n = w->items[i];

		if (n.is_free && n.was_free) {
			bpf_map_delete_elem(s->stacks_fd, &n.hash);
			stacks_forget(s, n.hash);
			continue;
		}
		n.was_free = n.is_free;
		w->items[n_kept++] = n;
	}
	if (n_kept == n_before)
		usyms_forget_stacks(s->usyms, tgid);
	return n_kept;
}

/* Returns the number of removed stacks, and invalidates the caches of seen stacks on all CPUs. */
static uint32_t drop_free(struct session *s)
{
	struct stack_sweep *w = s->stack_sweep;
	uint32_t n_kept = 0, n_before = w->n;

	sort(w, by_tgid);
	for (uint32_t i = 0, end; i < w->n; i = end) {
		for (end = i + 1; end < w->n && w->items[end].tgid == w->items[i].tgid;)
			end++;
		n_kept = drop_of_process(s, i, end, n_kept);
	}
	w->n = n_kept;
	if (n_kept < n_before)
		__atomic_fetch_add(&s->control->stack_sweeps, 1, __ATOMIC_RELEASE);
	return n_before - n_kept;
}

void stack_sweep_run(struct session *s)
{
	struct stack_sweep *w = s->stack_sweep;
	uint32_t n_ended = mark_ended(w), n_dropped = 0;
	int err = 0;

	sort(w, by_hash);
	for (uint32_t i = 0; n_ended && !err && i < s->plan->n_maps; i++)
		err = unmark_in_map(s, i);
	if (!err)
		n_dropped = drop_free(s);
	w->n_removed += n_dropped;
	w->n_swept = w->n;
	w->swept_ns = monotonic_ns();
	w->step = n_ended ? least_step(s) : 2 * (w->step ? w->step : least_step(s));
	if (w->step > s->plan->needs.stack_entries / STORE_PART)
		w->step = s->plan->needs.stack_entries / STORE_PART;
	log_verbose(
		"stack store: removed %u user stacks, kept %zu, %u of them of processes that have "
		"ended",
		n_dropped, w->n, n_ended - n_dropped);
}
