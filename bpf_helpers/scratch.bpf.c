/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Scratch memory for values that do not fit the BPF stack: long strings and keys. A program takes a
 * slot of its CPU when it starts and gives it back when it ends. Programs nest and are preempted in
 * any order, so each slot has its own flag; a counter could hand out a slot that is in use.
 */
#include "bpf_helpers/helpers.h"

struct scratch_slot {
	uint64_t busy;
	uint8_t bytes[];
};

_Static_assert(sizeof(struct scratch_slot) == SONDE_SCRATCH_HEAD,
	       "codegen adds it to what a script needs");

/* SONDE_SCRATCH_SLOTS slots for each CPU, each as long as the script needs. codegen defines the
 * map. It is a per-CPU array, unless a slot is longer than the kernel allows there. In that case it
 * is an array, with the slots of one CPU after those of another (runtime/load/load.c sets its
 * length). */
extern char sonde_scratch SEC(".maps");

/* Take a slot. NULL if all are in use: the run is skipped and counted. `is_long` is a constant: 1
 * if the map is an array. */
INLINE uint8_t *sonde_scratch_enter(uint32_t probe, uint32_t is_long)
{
	uint32_t first = is_long ? bpf_get_smp_processor_id() * SONDE_SCRATCH_SLOTS : 0;

#pragma unroll
	for (uint32_t i = 0; i < SONDE_SCRATCH_SLOTS; i++) {
		uint32_t slot = first + i;
		struct scratch_slot *entry = bpf_map_lookup_elem(&sonde_scratch, &slot);

		if (entry && __sync_val_compare_and_swap(&entry->busy, 0, 1) == 0)
			return entry->bytes;
	}
	sonde_loss_count(probe, SONDE_LOSS_RUN);
	return 0;
}

INLINE void sonde_scratch_leave(uint8_t *bytes)
{
	*(volatile uint64_t *)(bytes - SONDE_SCRATCH_HEAD) = 0;
}
