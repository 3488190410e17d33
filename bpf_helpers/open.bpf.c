/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Open spans at the end of tracing or of a thread. An iter/task program visits every thread. It
 * also runs when tracing begins, and marks the threads that are off the CPU at that time: their
 * span starts then. If the spans are times on the CPU, it marks the threads that run.
 *
 * A thread that is off the CPU when tracing begins was not seen when it left the CPU, so its span
 * has no user stack. Another program reads it while the thread is off the CPU (waiting.bpf.c).
 */
#include "bpf_helpers/helpers.h"

INLINE uint32_t sonde_open_begins(void)
{
	return sonde_control.open_begins;
}

/* Is the thread off the CPU? A thread that runs on a CPU has no off-CPU span. */
INLINE_CORE uint32_t sonde_open_is_off_cpu(struct task_struct *t)
{
	return t->pid != 0 && !t->on_cpu;
}

INLINE_CORE uint32_t sonde_open_is_on_cpu(struct task_struct *t)
{
	return t->pid != 0 && t->on_cpu;
}

enum { MARKED = 63 }; /* bit of the start of a span that began before tracing */

INLINE uint32_t sonde_open_is_free(uint64_t *start)
{
	return !*(volatile uint64_t *)start;
}

/* Store a marked start. If a switch of the thread has stored a start in the meantime, keep that,
 * and return 0. */
INLINE uint32_t sonde_open_mark(uint64_t *start)
{
	return !__sync_val_compare_and_swap(start, 0, bpf_ktime_get_ns() | 1ull << MARKED);
}

/* Is `start` the start of a time on the CPU that is still open? A thread that was marked while it
 * left the CPU has none. */
INLINE uint32_t sonde_open_slice(uint64_t start, struct task_struct *t)
{
	return !(start >> MARKED) || sonde_open_is_on_cpu(t);
}

/* The number of the requested call (sonde_control.open_call). `calls` begins with their number; if
 * there are more, open_more is set. */
INLINE uint64_t sonde_open_index(uint64_t *calls)
{
	uint64_t i = sonde_control.open_call;

	if (calls[0] > i + 1)
		sonde_control.open_more = 1;
	return i;
}

/* `calls` begins with their number and the count of execve (span.bpf.c). */
static INLINE uint64_t *call_at(uint64_t *calls, uint64_t i, uint32_t shape)
{
	return (uint64_t *)((char *)(calls + 2) + sonde_slot_offset(i, shape));
}

/* The slot of open call number i, where the outermost is 0; NULL if there are not so many. */
INLINE void *sonde_open_call(uint64_t *calls, uint64_t i, uint32_t shape)
{
	return i < calls[0] ? call_at(calls, i, shape) : 0;
}

INLINE uint64_t sonde_open_end(void)
{
	return sonde_control.end_ns;
}

/* The length of a span until `end`. A span that started later has length 0. */
INLINE uint64_t sonde_open_length(uint64_t start, uint64_t end)
{
	return end > start ? end - start : 0;
}

/* The length until `end` of open call number i without nested calls: `inside` is the member of its
 * slot with the time of those that have ended; the open call in it is subtracted too. */
INLINE uint64_t sonde_open_self(uint64_t *calls, uint64_t i, uint64_t *inside, uint64_t length,
				uint64_t end, uint32_t shape)
{
	uint64_t busy = *inside;

	i++;
	barrier_var(i);
	if (i < calls[0])
		busy += sonde_open_length(*call_at(calls, i, shape), end);
	return length > busy ? length - busy : 0;
}

/* Clear the state at the end of a thread. The probes that keep their calls in `calls` run one after
 * the other; each clears the starts of its own calls, and the last one leaves none. */
INLINE void sonde_open_forget(uint64_t *calls, uint32_t shape)
{
	uint64_t n = calls[0];

	for (uint32_t i = 0; i < sonde_slots(shape); i++) {
		if (!n || *call_at(calls, n - 1, shape))
			break;
		n--;
	}
	calls[0] = n;
}

/* Mark the user stack of a thread as not known yet. Kernel threads have none. */
INLINE void sonde_open_unseen(uint64_t *stack, struct task_struct *t, uint32_t probe)
{
	uint32_t has_any = sonde_task_has_memory(t);

	*stack = has_any ? SONDE_STACK_NOT_SEEN : 0;
	if (has_any)
		sonde_loss_count(probe, SONDE_LOSS_STACK_NOT_SEEN);
}
