/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Off-CPU spans: which threads have one, and the hidden state of each, in task storage.
 */
#include "helpers.h"

enum { TASK_IS_DEAD = 0x80 };

/* A thread that is switched out to come back: not the idle task, not one on its way to the grave. */
INLINE_CORE uint32_t sonde_span_begins(struct task_struct *t)
{
	return t->pid != 0 && !(t->__state & TASK_IS_DEAD);
}

/* The idle task has no span to end. */
INLINE_CORE uint32_t sonde_span_ends(struct task_struct *t)
{
	return t->pid != 0;
}

INLINE void *sonde_span_open(void *map, struct task_struct *t, uint32_t probe)
{
	void *state = bpf_task_storage_get(map, t, 0, STORAGE_CREATE);

	if (unlikely(!state))
		sonde_loss_count(probe, SONDE_LOSS_TASK_STORAGE);
	return state;
}

INLINE void *sonde_span_find(void *map, struct task_struct *t)
{
	return bpf_task_storage_get(map, t, 0, 0);
}
