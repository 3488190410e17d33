/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Memory for what the BPF stack has no room for: long strings, long keys. A program that needs it
 * takes a slot of its CPU when it starts and gives it back when it ends. Programs nest and are
 * preempted in any order, so each slot has a flag of its own: a counter would hand out one that is
 * in use.
 */
#include "helpers.h"

struct room {
	uint64_t busy;
	uint8_t bytes[SONDE_ROOM_BYTES];
};

struct {
	__uint(type, MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct room[SONDE_SCRATCH_SLOTS]);
} sonde_rooms SEC(".maps");

/* NULL when all slots are in use: the run is left out, and counted. */
INLINE uint8_t *sonde_room_enter(uint32_t probe)
{
	uint32_t zero = 0;
	struct room *rooms = bpf_map_lookup_elem(&sonde_rooms, &zero);

	if (!rooms)
		return 0;
#pragma unroll
	for (int i = 0; i < SONDE_SCRATCH_SLOTS; i++)
		if (__sync_val_compare_and_swap(&rooms[i].busy, 0, 1) == 0)
			return rooms[i].bytes;
	sonde_loss_count(probe, SONDE_LOSS_RUN);
	return 0;
}

INLINE void sonde_room_leave(uint8_t *bytes)
{
	*(volatile uint64_t *)(bytes - 8) = 0;
}
