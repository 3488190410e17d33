/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Stores user stacks in the stack store. When a stack is seen for the first time, it is also sent
 * to user space, which reads the mappings of the process while it lives. The stack is marked as
 * sent only if the record could be reserved.
 */
#include "bpf_helpers/keep.h"

/* Announce a stack to user space. Returns 1 if user space knows it. */
static INLINE uint32_t announce(struct sonde_stack *kept, uint64_t hash, uint32_t is_unsure,
				uint32_t probe)
{
	struct sonde_stack_event *ev;

	if (!kept || kept->sent)
		return kept != 0;
	ev = sonde_ring_try(sizeof(*ev));
	if (!ev) {
		sonde_keep_lose(probe, SONDE_LOSS_RING_FULL, 1);
		return 0;
	}
	kept->sent = 1;
	ev->head.id = SONDE_EV_STACK;
	ev->head.probe = probe;
	ev->hash = hash;
	ev->time_ns = bpf_ktime_get_ns();
	ev->tgid = kept->tgid;
	ev->exec_id = kept->exec_id;
	kept->time_ns = is_unsure ? 0 : ev->time_ns;
	sonde_ring_submit(ev, sizeof(*ev));
	return 1;
}

_Static_assert((int)SONDE_LOSS_STACK_BAD_FRAME - SONDE_LOSS_STACK_DEEP ==
		       UNWIND_END_COUNT - 1 - UNWIND_DEEP,
	       "a loss for each end of a walk");

static INLINE uint32_t loss_of(uint32_t end)
{
	end -= UNWIND_DEEP;
	return SONDE_LOSS_STACK_DEEP + (end < UNWIND_END_COUNT - UNWIND_DEEP ? end : 0);
}

/* What few walks need: ask for tables, count frames of interpreters that are missing. It is not
 * part of end_walk(): for each branch, the verifier would check the rest of end_walk() again. */
GLOBAL uint32_t sonde_keep_rest(struct sonde_walk *w, uint32_t probe)
{
	if (!w)
		return 0;
	if (w->must_ask)
		sonde_ask(w->stack.tgid, w->stack.exec_id, 0);
	if (w->n_left)
		sonde_keep_lose(probe, SONDE_LOSS_RUN_LEFT, w->n_left);
	return 0;
}

/* Finish a walk by the tables of unwind.h: set why it ended, count a loss, ask for tables. */
static INLINE void end_walk(struct sonde_walk *w, uint64_t n, uint32_t exits, uint32_t probe,
			    uint32_t limit)
{
	uint32_t end = w->end;

	if (n == limit)
		end = UNWIND_COMPLETE;
	/* the memory of an exiting thread is gone: its stack has a mark, but does not count as
	 * lost */
	if (end != UNWIND_COMPLETE && !(end == UNWIND_UNREADABLE && exits))
		sonde_keep_lose(probe, loss_of(end), 1);
	if (w->must_ask | w->n_left)
		sonde_keep_rest(w, probe);
	if (end == UNWIND_NOT_READY)
		sonde_control.open_cut = 1;
	w->stack.end = end;
	zero_behind(w->stack.ips, set_frames(&w->stack, n));
}

/* Store the stack at `st` under `hash`. A stored stack that is idle is replaced, because user space
 * may be about to remove it: it looks at what it has removed (stack_sweep.c). */
static INLINE struct sonde_stack *store_user(struct sonde_stack *st, uint64_t hash, uint32_t sweeps,
					     uint32_t probe)
{
	struct sonde_stack *kept = bpf_map_lookup_elem(&sonde_stacks, &hash);

	if (!kept || sonde_stack_is_idle(kept, sweeps))
		return put(st, hash, kept ? BPF_ANY : BPF_NOEXIST, probe);
	kept->seen = sweeps;
	return kept;
}

/* Store the stack in a slot. */
static INLINE uint64_t keep_user(struct scratch *s, struct sonde_walk *w, uint32_t probe)
{
	struct sonde_stack *st = &w->stack, *kept;
	uint32_t sweeps = sonde_control.stack_sweeps;
	uint64_t hash, mark, *seen;

	hash = finish(st->tgid) ^ st->exec_id ^ (uint64_t)st->end << 32 ^ w->files;
	hash = hash_frames(st, at_most_all(st->n_frames), hash);
	mark = hash ^ sweeps; /* valid until the store is swept */
	seen = seen_at(s, hash);
	if (*seen != mark) {
		st->sent = 0;
		st->seen = sweeps;
		st->time_ns = 0;
		kept = store_user(st, hash, sweeps, probe);
		if (!announce(kept, hash, w->is_unsure, probe))
			return hash;
		*seen = mark;
	}
	if (st->end == UNWIND_COMPLETE)
		sonde_unwind_learn(w, hash);
	return hash;
}

GLOBAL uint64_t sonde_keep_user(uint32_t slot, long got, uint32_t probe, uint32_t limit,
				uint32_t flags)
{
	uint32_t by_fp = flags & KEEP_BY_FP, exits = flags & KEEP_EXITS;
	struct scratch *s = scratch_get();
	struct sonde_walk *w;

	if (!s)
		return 0;
	if (by_fp && got < 0 && !exits)
		sonde_keep_lose(probe, SONDE_LOSS_STACK_FAILED, 1);
	if (by_fp && got < 8)
		return 0;
	w = taken_slot(s, slot);
	if (by_fp) {
		end_capture(&w->stack, got, 0, probe, limit);
		w->files = 0; /* the files are not known */
		w->is_unsure = 1;
		w->is_missing = 1; /* learn nothing */
	} else {
		end_walk(w, got, exits, probe, limit);
	}
	return keep_user(s, w, probe);
}
