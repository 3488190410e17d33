/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Sends records to user space through sonde's own ring (struct sonde_ring). A BPF ring buffer costs
 * 50 ns a record, for two kernel function calls and a lock. This ring costs next to nothing, and no
 * writer waits for another, not even in an NMI.
 *
 * Waking the reader costs at least 550 ns, so a probe does it only when the reader is blocked
 * (sonde_control.asleep). Otherwise the reader polls every few milliseconds, and only a record that
 * asks for unwind tables wakes it, because stacks are cut until the tables exist. The wake-up is a
 * record in a BPF ring buffer, which supports poll().
 */
#include "bpf_helpers/helpers.h"

/* runtime/session/ring.c sets the sizes. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} sonde_events SEC(".maps");

/* The wake-ups: a BPF ring buffer of one page. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} sonde_wake SEC(".maps");

/* Would a record at `at` exceed `limit` unread bytes? Signed: `read` may be newer than `at`. */
static INLINE uint32_t is_beyond(uint64_t at, uint64_t bytes, uint32_t limit)
{
	return (int64_t)(at + bytes - sonde_control.ring.read) > (int64_t)limit;
}

/* Reserve a record of `size` bytes, a multiple of 8. NULL if the ring is full, which the caller
 * counts. */
INLINE void *sonde_ring_try(uint64_t size)
{
	uint64_t bytes = sizeof(struct sonde_record_head) + size, at;
	uint8_t *segment;
	uint32_t index;

	if (unlikely(is_beyond(sonde_control.ring.written, bytes, sonde_config.ring_limit)))
		return 0;
	at = __sync_fetch_and_add((uint64_t *)&sonde_control.ring.written, bytes);
	if (unlikely(is_beyond(at, bytes, sonde_config.ring_bytes))) {
		sonde_control.ring.overrun = 1;
		return 0;
	}
	index = (at >> SONDE_RING_SEGMENT_BITS) & sonde_config.ring_index_mask;
	segment = bpf_map_lookup_elem(&sonde_events, &index);
	if (!segment) /* this cannot happen, but the verifier does not know that */
		return 0;
	return segment + (at & sonde_config.ring_offset_mask) + sizeof(struct sonde_record_head);
}

INLINE void *sonde_ring_reserve(uint32_t probe, uint64_t size)
{
	void *record = sonde_ring_try(size);

	if (unlikely(!record))
		sonde_loss_count(probe, SONDE_LOSS_RING_FULL);
	return record;
}

/* Reserve a record, and write its head. */
INLINE void *sonde_ring_begin(uint32_t probe, uint64_t size, uint32_t event)
{
	struct sonde_event *e = sonde_ring_reserve(probe, size);

	if (e) {
		e->id = event;
		e->probe = probe;
	}
	return e;
}

static INLINE void wake(void)
{
	uint64_t nothing = 0;

	sonde_control.asleep = SONDE_AWAKE;
	bpf_ringbuf_output(&sonde_wake, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

/* Complete a record. The exchange is a full barrier: the record is complete before its length is
 * visible, and either this program sees that the reader is blocked, or the reader sees the
 * record. */
INLINE void sonde_ring_submit(void *record, uint64_t size)
{
	struct sonde_record_head *head = (struct sonde_record_head *)record - 1;

	__sync_lock_test_and_set(&head->length, (uint32_t)size);
	if (unlikely(sonde_control.asleep == SONDE_ASLEEP))
		wake();
}

INLINE void sonde_ring_submit_urgent(void *record, uint64_t size)
{
	sonde_ring_submit(record, size);
	if (sonde_control.asleep == SONDE_DROWSES)
		wake();
}
