/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Why a thread leaves the CPU: the builtin `reason`, one of the rows of reasons.def. The event and
 * the thread tell whether it could go on, was stopped, or waits for a disk. The reasons of other
 * waits are found by the functions on the kernel stack (reason_stack.bpf.c).
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/stack.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct cfs_rq {
	unsigned int throttle_count;
};

struct task_struct___reason {
	unsigned in_iowait : 1;
	_Bool throttled; /* since 6.18 */
	struct {
		struct cfs_rq *cfs_rq;
	} se;
};

#pragma clang attribute pop

enum { RUNNING = 0, STOPPED_OR_TRACED = 4 | 8 };

static INLINE_CORE uint32_t is_throttled(struct task_struct *task)
{
	struct task_struct___reason *t = (void *)task;

	if (bpf_core_field_exists(t->throttled))
		return t->throttled;
	return bpf_core_field_exists(t->se.cfs_rq->throttle_count) && t->se.cfs_rq->throttle_count;
}

/* Why the thread is off the CPU, or leaves it, in this state. `found`: by its kernel stack. */
static INLINE_CORE uint32_t reason_of(struct task_struct *task, uint32_t state, uint32_t found)
{
	struct task_struct___reason *t = (void *)task;

	if (state == RUNNING && is_throttled(task))
		return SONDE_REASON_throttled;
	if (state == RUNNING)
		return found == SONDE_REASON_yielded ? found : SONDE_REASON_preempted;
	if (state & STOPPED_OR_TRACED)
		return SONDE_REASON_stopped;
	if (BPF_CORE_READ_BITFIELD(t, in_iowait))
		return SONDE_REASON_io;
	return found ? found : SONDE_REASON_other;
}

/* Why a thread leaves the CPU, in a program on sched_switch. `stack`: its kernel stack, which was
 * taken just now; 0: it could not be. */
INLINE_CORE uint32_t sonde_reason_event(struct switch_args *c, uint64_t stack)
{
	return reason_of(c->prev, c->preempt & 1 ? RUNNING : (uint32_t)c->prev_state,
			 stack ? sonde_stack_class() : SONDE_REASON_NONE);
}

/* Why a thread whose switch was not seen is off the CPU. Its stack lacks the functions of locks,
 * since the kernel leaves them out, so a wait for a lock has another reason, mostly `other`. */
INLINE_CORE uint32_t sonde_reason_task(struct task_struct *task, uint32_t probe)
{
	struct sonde_stack_buffer buffer;
	uint32_t found = SONDE_REASON_NONE;

	if (sonde_stack_take(&buffer, probe)) {
		if (bpf_get_task_stack(task, buffer.ips, SONDE_MAX_FRAMES * 8, 0) > 0)
			found = sonde_reason_find(buffer.slot);
		sonde_stack_give(&buffer);
	}
	return reason_of(task, task->__state, found);
}
