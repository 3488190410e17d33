/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Spans that are open when tracing ends, found by a program that is run for every thread
 * (iter/task). It also runs when tracing begins, for threads that are off CPU then: their time
 * counts from there.
 */
#include "bpf_helpers/helpers.h"

INLINE uint32_t sonde_open_begins(void)
{
	return sonde_control.open_begins;
}

/* Threads on a CPU have no time off it. */
INLINE_CORE uint32_t sonde_open_is_off_cpu(struct task_struct *t)
{
	return t->pid != 0 && !t->on_cpu;
}

/* The switch that takes it off the CPU may be faster than we are: then it knows better. */
INLINE void sonde_open_mark(uint64_t *start)
{
	__sync_val_compare_and_swap(start, 0, bpf_ktime_get_ns());
}

/* Of calls {n, slots} that are open: the slot of number control.open_call; NULL. */
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

/* Length so far; a span that was started while tracing ended has none. */
INLINE uint64_t sonde_open_length(uint64_t start)
{
	uint64_t end = sonde_control.end_ns;

	return end > start ? end - start : 0;
}
