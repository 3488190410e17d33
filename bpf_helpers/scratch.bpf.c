/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Memory for what the BPF stack has no room for: long strings, long keys. A program that needs it
 * takes a slot of its CPU when it starts and gives it back when it ends. Programs nest and are
 * preempted in any order, so each slot has a flag of its own: a counter would hand out one that is
 * in use.
 */
#include "bpf_helpers/helpers.h"

struct room {
	uint64_t busy;
	uint8_t bytes[];
};

_Static_assert(sizeof(struct room) == SONDE_ROOM_HEAD, "user space adds it to what a script needs");

struct {
	__uint(type, MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SONDE_SCRATCH_SLOTS);
	__type(key, uint32_t);
	__uint(value_size, SONDE_ROOM_HEAD + SONDE_ROOM_BYTES); /* load.c sets it */
} sonde_rooms SEC(".maps");

/* NULL when all slots are in use: the run is left out, and counted. */
INLINE uint8_t *sonde_room_enter(uint32_t probe)
{
#pragma unroll
	for (uint32_t i = 0; i < SONDE_SCRATCH_SLOTS; i++) {
		uint32_t slot = i;
		struct room *room = bpf_map_lookup_elem(&sonde_rooms, &slot);

		if (room && __sync_val_compare_and_swap(&room->busy, 0, 1) == 0)
			return room->bytes;
	}
	sonde_loss_count(probe, SONDE_LOSS_RUN);
	return 0;
}

INLINE void sonde_room_leave(uint8_t *bytes)
{
	*(volatile uint64_t *)(bytes - SONDE_ROOM_HEAD) = 0;
}
