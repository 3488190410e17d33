/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The control block (.bss, mapped into the tracer), the configuration (.rodata), the loss table, and
 * the operations that are on every path: losing, clearing, exiting.
 */
#include "control.h"

volatile struct sonde_control sonde_control;
const volatile struct sonde_config sonde_config = {};

/* The runtime sets max_entries to probes * SONDE_LOSS_COUNT. */
struct {
	__uint(type, MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} sonde_losses SEC(".maps");

INLINE void sonde_lose(uint32_t probe, uint32_t cause)
{
	uint32_t index = probe * SONDE_LOSS_COUNT + cause;
	uint64_t *n = bpf_map_lookup_elem(&sonde_losses, &index);

	if (n)
		__sync_fetch_and_add(n, 1);
}

INLINE uint32_t sonde_epoch(uint32_t map)
{
	return sonde_control.epoch[map];
}

INLINE uint32_t sonde_exiting(void)
{
	return sonde_control.exiting;
}

/* Advance a map's epoch; the one it had goes to user space. While SONDE_EPOCH_SLOTS - 1 clears wait
 * for user space the map is left alone: an array's slot would be used twice. Returns the old epoch. */
INLINE uint32_t sonde_clear(uint32_t map, uint32_t probe)
{
	uint32_t epoch = sonde_control.epoch[map];

	if (epoch - sonde_control.acked[map] >= SONDE_EPOCH_SLOTS - 1)
		sonde_lose(probe, SONDE_LOSS_CLEAR);
	else
		__sync_val_compare_and_swap((uint32_t *)&sonde_control.epoch[map], epoch, epoch + 1);
	return epoch;
}

INLINE void sonde_exit(uint64_t code)
{
	sonde_control.exit_code = code;
	sonde_control.exiting = 1;
}
