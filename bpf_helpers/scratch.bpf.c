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

/* A per-CPU array of SONDE_SCRATCH_SLOTS slots, as long as the script needs them: codegen defines
 * it. */
extern char sonde_scratch SEC(".maps");

/* NULL if all slots are in use: the run is skipped and counted. */
INLINE uint8_t *sonde_scratch_enter(uint32_t probe)
{
#pragma unroll
	for (uint32_t i = 0; i < SONDE_SCRATCH_SLOTS; i++) {
		uint32_t slot = i;
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
