/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Reads the user stacks of threads that are off the CPU, for spans whose stack is not known, or was
 * cut because there were no tables. It is a separate BPF object, which is loaded when it is needed
 * (runtime/load/waiting.c) and uses the maps and data of the script's object. The program can
 * sleep, so a stack's memory may be paged out.
 */
#include "bpf_helpers/keep.h"
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = function)
#include "bpf_helpers/numberns.bpf.c"
#include "bpf_helpers/task.bpf.c"
#include "bpf_helpers/stack.bpf.c"
#pragma clang attribute pop

const volatile struct sonde_config sonde_config = {};
volatile struct sonde_control sonde_control;
const volatile struct sonde_waiting sonde_waiting SEC(".rodata.waiting") = {};

/* The state of the spans: that of the script's object. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, uint64_t);
} sonde_waiting_spans SEC(".maps");

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
	barrier_var(is_end);
	return is_end & 1; /* the verifier must see that the result is 0 or 1 */
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

/* Capture the user stack of a thread that has been off the CPU since `since`, when its stack was
 * cut; 0: since an unknown time. Returns the hash of the stack, or 0 if it has none, or if there
 * are no tables yet. */
static INLINE_CORE uint64_t capture_other(struct sonde_stack_buffer *buffer,
					  struct task_struct *task, uint64_t since)
{
	uint32_t limit = sonde_waiting.is_of_runtime ? ~0u : sonde_waiting.limit, n;
	struct sonde_walk *w = buffer->walk;
	struct sonde_stack *st = &w->stack;

	st->tgid = sonde_config.pid_ns ? sonde_number_pid(task) : sonde_task_pid(task);
	st->exec_id = sonde_task_exec_id(task);
	n = walk_other(w, task, st->tgid, st->exec_id, sonde_waiting.limit);
	if (since)
		sonde_unwind_test_since(w, st->tgid, st->exec_id, since);
	if (w->end == UNWIND_NOT_READY && !sonde_control.open_last) {
		if (w->must_ask)
			sonde_ask(st->tgid, st->exec_id, 0);
		sonde_control.open_missing = 1;
		return 0; /* the stack is read again later */
	}
	if (sonde_waiting.is_of_runtime && n) {
		if (w->n_left)
			return 0; /* it has such functions, but they are not read here */
		return sonde_keep_user(buffer->slot, 0, sonde_waiting.probe, limit, 0);
	}
	return n ? sonde_keep_user(buffer->slot, n, sonde_waiting.probe, limit,
				   sonde_task_exits(task) * KEEP_EXITS)
		 : 0;
}

static INLINE uint64_t read_other(struct task_struct *task, uint64_t since)
{
	struct sonde_stack_buffer buffer;
	uint64_t hash;

	if (!sonde_task_has_memory(task) || !sonde_stack_take(&buffer, sonde_waiting.probe))
		return 0;
	hash = capture_other(&buffer, task, since);
	sonde_stack_give(&buffer);
	return hash;
}

/* Why a user stack is not complete (enum unwind_end). */
static INLINE uint32_t end_of(uint64_t hash)
{
	struct sonde_stack *s = bpf_map_lookup_elem(&sonde_stacks, &hash);

	return s ? s->end : UNWIND_COMPLETE;
}

/* A thread that runs on a CPU is in no time off the CPU. */
static INLINE_CORE uint32_t is_off_cpu(struct task_struct *t)
{
	return t->pid != 0 && !t->on_cpu;
}

struct iterator {
	void *meta;
	struct task_struct *task; /* 0 in a last call, after all threads */
};

/* The probe is attached, so the span's start changes when the thread runs. */
SEC("iter.s/task") int sonde_waiting_stack(struct iterator *ctx)
{
	struct task_struct *t = ctx->task;
	uint32_t end, probe = sonde_waiting.probe;
	uint64_t *state, *stack, began, old, hash;

	if (!t)
		return 0;
	state = bpf_task_storage_get(&sonde_waiting_spans, t, 0, 0);
	if (!state)
		return 0;
	stack = state + sonde_waiting.offset / 8;
	began = *(volatile uint64_t *)state;
	old = *stack;
	end = end_of(old);
	if (!began || (end != UNWIND_NOT_SEEN && end != UNWIND_NOT_READY) || !is_off_cpu(t))
		return 0;
	hash = read_other(t, end == UNWIND_NOT_READY ? began << 1 >> 1 : 0);
	if (!hash || *(volatile uint64_t *)state != began || !is_off_cpu(t))
		return 0;
	/* the old stack was counted */
	if (__sync_val_compare_and_swap(stack, old, hash) == old)
		sonde_loss_add(probe,
			       end == UNWIND_NOT_SEEN ? SONDE_LOSS_STACK_NOT_SEEN
						      : SONDE_LOSS_STACK_NOT_READY,
			       -1ull);
	return 0;
}

char sonde_waiting_license[] SEC("license") = "GPL";
