/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Records to user space. Waking the reader costs a probe 550 ns and more, so it is done only when
 * the reader has said that it sleeps (sonde_control.asleep); else it comes by every few
 * milliseconds.
 */
#include "helpers.h"

/* The runtime sets max_entries to plan->needs.ring_bytes. */
struct {
	__uint(type, MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} sonde_events SEC(".maps");

/* Who calls it counts the loss. */
INLINE void *sonde_ring_try(uint64_t size)
{
	return bpf_ringbuf_reserve(&sonde_events, size, 0);
}

INLINE void *sonde_ring_reserve(uint32_t probe, uint64_t size)
{
	void *record = sonde_ring_try(size);

	if (!record)
		sonde_loss_count(probe, SONDE_LOSS_RING_FULL);
	return record;
}

INLINE void sonde_ring_submit(void *record)
{
	uint64_t flags = RB_NO_WAKEUP;

	if (unlikely(sonde_control.asleep)) {
		sonde_control.asleep = 0;
		flags = RB_FORCE_WAKEUP;
	}
	bpf_ringbuf_submit(record, flags);
}
