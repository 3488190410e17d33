/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Records to user space, by a ring of our own (struct sonde_ring): a BPF ring buffer's two calls of
 * kernel functions with a lock between them take 50 ns of a probe, this next to none, and no writer
 * waits for another one, in an NMI neither.
 * Waking the reader costs a probe 550 ns and more, so it is done only when the reader has said that
 * it sleeps (sonde_control.asleep); else it comes by every few milliseconds. What wakes it is a
 * record in a BPF ring buffer, which can be polled.
 */
#include "helpers.h"

/* The runtime makes it as large as runtime/ring.c has it. */
struct {
	__uint(type, MAP_TYPE_ARRAY);
	__uint(map_flags, MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4096);
} sonde_events SEC(".maps");

/* A page. */
struct {
	__uint(type, MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} sonde_wake SEC(".maps");

/* Take `bytes` of the ring: *position, or a cause of loss else than SONDE_LOSS_COUNT. That others
 * came first shows in `written` alone: then `read` may be beyond what was there, hence the sign. */
static INLINE uint32_t take(uint64_t bytes, uint64_t *position)
{
	uint64_t *written = (uint64_t *)&sonde_control.ring.written;

#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < SONDE_RING_TRIES; i++) {
		uint64_t at = sonde_control.ring.written;

		if ((int64_t)(at + bytes - sonde_control.ring.read) >
		    (int64_t)sonde_config.ring_bytes)
			return SONDE_LOSS_RING_FULL;
		if (__sync_val_compare_and_swap(written, at, at + bytes) == at) {
			*position = at;
			return SONDE_LOSS_COUNT;
		}
	}
	return SONDE_LOSS_RING_BUSY;
}

/* Room for a record of `size` bytes, a multiple of 8; NULL and the cause when there is none. Who
 * calls it counts the loss. */
INLINE void *sonde_ring_try(uint64_t size, uint32_t *lost)
{
	uint64_t at = 0;
	uint32_t index;
	uint8_t *segment;

	*lost = take(sizeof(struct sonde_record_head) + size, &at);
	if (unlikely(*lost != SONDE_LOSS_COUNT))
		return 0;
	index = (at >> SONDE_RING_SEGMENT_BITS) & sonde_config.ring_index_mask;
	segment = bpf_map_lookup_elem(&sonde_events, &index);
	if (!segment) /* not possible, which the verifier does not know */
		return 0;
	return segment + (at & sonde_config.ring_offset_mask) + sizeof(struct sonde_record_head);
}

INLINE void *sonde_ring_reserve(uint32_t probe, uint64_t size)
{
	uint32_t lost;
	void *record = sonde_ring_try(size, &lost);

	if (unlikely(!record))
		sonde_loss_count(probe, lost);
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
		bpf_ringbuf_output(&sonde_wake, &wake, sizeof(wake), RB_FORCE_WAKEUP);
	}
}
