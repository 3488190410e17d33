/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Reads the user stack of another thread, which does not run, in a sleepable program (walk.h). So
 * the stack's memory may be paged out.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/stack.h"
#include "bpf_helpers/unwind.h"

enum {
	OTHER_STEPS = 4 * SONDE_MAX_FRAMES, /* max. steps, including repeated ones */
};

struct other {
	struct sonde_walk *w;
	struct task_struct *task;
	uint32_t limit;
};

/* Read the window again from w->need upwards, as sonde_unwind_read() does for the current
 * thread. */
static INLINE void fetch(struct sonde_walk *w, struct task_struct *task)
{
	uint64_t at = w->need, bytes = -at & (PAGE - 1);
	uint32_t i = w->n_given++;

	w->need = 0;
	w->window_at = at;
	w->window_bytes = WALK_WINDOW;
	if (bpf_copy_from_user_task(w->window, WALK_WINDOW, (void *)at, task, 0)) {
		if (bytes >= WALK_WINDOW || bytes < 8)
			bytes = 8;
		w->window_bytes = bytes;
		if (bpf_copy_from_user_task(w->window, bytes, (void *)at, task, 0)) {
			w->window_bytes = 0;
			w->refused = at;
			return;
		}
	}
	barrier_var(i);
	w->given_at[i & (WALK_GIVEN - 1)] = at;
	w->given[i & (WALK_GIVEN - 1)] = w->window[0];
}

static __attribute__((noinline)) long step_other(uint64_t i, struct other *o)
{
	uint32_t is_end;

	if (o->w->n_frames >= o->limit)
		return 1;
	is_end = sonde_unwind_other(o->w);
	if (o->w->need)
		fetch(o->w, o->task);
	return is_end & 1; /* the mask shows the verifier that the result is 0 or 1 */
}

/* Walk the stack of `task`, as sonde_unwind_walk() does for the current thread. 0: no stack. */
static INLINE uint32_t walk_other(struct sonde_walk *w, struct task_struct *task, uint32_t tgid,
				  uint32_t exec_id, uint32_t limit)
{
	struct other o = {.w = w, .task = task, .limit = limit ? limit : SONDE_MAX_FRAMES};

	w->other = (uint64_t)task;
	w->regs = (uint64_t)bpf_task_pt_regs(task);
	if (sonde_unwind_begin(w, tgid, exec_id))
		bpf_loop(OTHER_STEPS, step_other, &o, 0);
	return sonde_unwind_finish(w, tgid, exec_id);
}

static INLINE uint64_t capture_other(struct sonde_stack_buffer *buffer, struct task_struct *task,
				     uint32_t probe, uint32_t limit)
{
	struct sonde_walk *w = buffer->walk;
	uint32_t flags = sonde_stack_begin(buffer, task);
	uint32_t n = walk_other(w, task, w->stack.tgid, w->stack.exec_id, limit);

	if (w->end == UNWIND_NOT_READY && !sonde_control.open_last) {
		if (w->must_ask)
			sonde_ask(w->stack.tgid, w->stack.exec_id, 0);
		sonde_control.open_missing = 1;
		return 0; /* the stack is read again later */
	}
	return n ? sonde_keep_user(buffer->slot, n, probe, limit, flags) : 0;
}

/* The hash of the stack. 0 if there is none, or if the caller should try again when there are
 * tables. */
INLINE uint64_t sonde_other_stack(struct task_struct *task, uint32_t probe, uint32_t limit)
{
	struct sonde_stack_buffer buffer;
	uint64_t hash;

	if (!sonde_config.unwinds || !sonde_task_has_memory(task) ||
	    !sonde_stack_take(&buffer, probe))
		return 0;
	hash = capture_other(&buffer, task, probe, limit);
	sonde_stack_give(&buffer);
	return hash;
}
