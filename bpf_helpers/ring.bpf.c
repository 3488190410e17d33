/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Records to user space, by a ring of our own (struct sonde_ring): a BPF ring buffer's two calls of
 * kernel functions with a lock between them take 50 ns of a probe, this next to none, and no writer
 * waits for another one, in an NMI neither.
 * Waking the reader costs a probe 550 ns and more, so it is done only when the reader has said that
 * it sleeps (sonde_control.asleep); else it comes by every few milliseconds. What wakes it is a
 * record in a BPF ring buffer, which can be polled.
 */
#include "bpf_helpers/helpers.h"

/* The runtime makes it as large as runtime/session/ring.c has it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} sonde_events SEC(".maps");

/* A page. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} sonde_wake SEC(".maps");

/* A record at `at` would take more than the ring has. Signed, for `read` may be newer than `at`. */
static INLINE uint32_t is_beyond(uint64_t at, uint64_t bytes, uint32_t limit)
{
	return (int64_t)(at + bytes - sonde_control.ring.read) > (int64_t)limit;
}

/* Room for a record of `size` bytes, a multiple of 8; NULL when there is none, which who calls it
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
	if (!segment) /* not possible, which the verifier does not know */
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

/* The exchange is a barrier: the record is whole when its length can be seen, and either we see
 * that the reader sleeps or it sees the record. */
INLINE void sonde_ring_submit(void *record, uint64_t size)
{
	struct sonde_record_head *head = (struct sonde_record_head *)record - 1;

	__sync_lock_test_and_set(&head->length, (uint32_t)size);
	if (unlikely(sonde_control.asleep)) {
		uint64_t wake = 0;

		sonde_control.asleep = 0;
		bpf_ringbuf_output(&sonde_wake, &wake, sizeof(wake), BPF_RB_FORCE_WAKEUP);
	}
}
