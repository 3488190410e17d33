/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Open spans at the end of tracing. An iter/task program visits every thread. It also runs when
 * tracing begins and marks the threads that are off CPU at that time: their span starts then.
 */
#include "bpf_helpers/helpers.h"

INLINE uint32_t sonde_open_begins(void)
{
	return sonde_control.open_begins;
}

/* A thread that runs on a CPU has no off-CPU span. */
INLINE_CORE uint32_t sonde_open_is_off_cpu(struct task_struct *t)
{
	return t->pid != 0 && !t->on_cpu;
}

/* If the thread's own switch has stored a start in the meantime, keep that. */
INLINE void sonde_open_mark(uint64_t *start)
{
	__sync_val_compare_and_swap(start, 0, bpf_ktime_get_ns());
}

/* The open call number control.open_call of `calls` {n, slots}, or NULL. */
INLINE void *sonde_open_call(uint64_t *calls, uint32_t size)
{
	uint64_t i = sonde_control.open_call;

	if (calls[0] > i + 1)
		sonde_control.open_more = 1;
	if (i >= calls[0])
		return 0;
	barrier_var(i);
	return (char *)(calls + 1) + (i & (SONDE_SPAN_CALLS - 1)) * size;
}

INLINE uint64_t sonde_open_depth(void)
{
	return sonde_control.open_call + 1;
}

/* Length so far. A span that started after the end of tracing has length 0. */
INLINE uint64_t sonde_open_length(uint64_t start)
{
	uint64_t end = sonde_control.end_ns;

	return end > start ? end - start : 0;
}
