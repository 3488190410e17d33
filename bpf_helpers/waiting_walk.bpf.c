/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Walks the user stack of another thread, in steps; the caller of the steps provides the memory
 * (waiting.bpf.c). The walk looks nothing up in the kernel's mappings, and neither learns nor
 * recalls trails.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

GLOBAL uint32_t sonde_unwind_begin(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id)
{
	struct pt_regs___unwind *regs;
	struct task_struct *task;
	uint64_t x;

	if (!w)
		return 0;
	task = (void *)w->other;
	regs = (void *)w->regs;
	w->ip = BPF_CORE_READ(regs, REGS_IP);
	w->sp = BPF_CORE_READ(regs, REGS_SP);
	w->fp = BPF_CORE_READ(regs, REGS_FP);
	w->link = HAS_LINK ? sonde_unwind_register(w, EXTRA_REGISTER) : 0;
	set_mode(w, BPF_CORE_READ(regs, REGS_MODE));
	if (!BPF_CORE_READ(task, mm, start_code)) /* in execve */
		w->end = UNWIND_COMPLETE;
	w->need = 0;
	w->refused = 0;
	w->n_given = 0;
	LOOP for (uint32_t i = 0; i < WALK_GIVEN; i++) w->given_at[i] = ~0ull;
	x = sonde_unwind_replaced(w);
	w->ip = x ? x : w->ip;
	begin(w, tgid, exec_id);
	return w->end == UNWIND_DEEP;
}

GLOBAL uint32_t sonde_unwind_other(struct sonde_walk *w)
{
	struct sonde_trail *trail;
	uint32_t exact, by_fp, n, n_certain, n_left, index, is_end;

	if (!w)
		return 1;
	exact = w->exact;
	by_fp = w->by_fp;
	n = w->n_frames;
	n_certain = w->n_certain;
	n_left = w->n_left;
	index = w->trail;
	trail = bpf_map_lookup_elem(&sonde_unwind_trails, &index);
	if (!trail) /* cannot happen */
		return 1;
	sonde_unwind_locate(w, trail);
	is_end = step(w, trail);
	if (!w->need)
		return is_end;
	w->exact = exact;
	w->by_fp = by_fp;
	w->n_frames = n;
	w->n_certain = n_certain;
	w->n_left = n_left;
	return 0;
}

/* A thread has waited since `since`, when its stack was cut. Were the mappings of its process read
 * after that? If so, they are still valid, since its code is not unmapped while it waits. If not,
 * what was missing may be missing still. */
GLOBAL uint32_t sonde_unwind_test_since(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id,
					uint64_t since)
{
	struct unwind_space *space = bpf_map_lookup_elem(&sonde_unwind_spaces, &tgid);

	if (!w || (space && is_of(space, exec_id) && space->read_ns > since))
		return 0;
	w->end = UNWIND_NOT_READY;
	w->must_ask = sonde_unwind_must_ask(tgid, exec_id);
	return 0;
}

/* End a walk. The caller may have slept, and user space may have replaced the process's ranges in
 * the meantime. Then the words of the tables may have been reused, and the walk is discarded. */
GLOBAL uint64_t sonde_unwind_finish(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id)
{
	struct unwind_space *space = bpf_map_lookup_elem(&sonde_unwind_spaces, &tgid);
	uint32_t generation = space && is_of(space, exec_id) ? space->generation : 0;

	if (!w)
		return 0;
	if (w->generation != generation) {
		w->end = UNWIND_NOT_READY;
		w->n_frames = 1;
		w->n_certain = 0;
	}
	w->other = 0;
	/* the files are not known, but are those of the generation */
	w->files = w->generation * FACTOR;
	w->is_unsure = 0;
	return sonde_unwind_end(w, tgid, exec_id);
}
