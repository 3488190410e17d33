/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The control block (.bss, mapped into the tracer): epochs, clear() and exit().
 */
#include "bpf_helpers/helpers.h"

volatile struct sonde_control sonde_control;

INLINE uint32_t sonde_control_epoch(uint32_t map)
{
	return sonde_control.epoch[map];
}

/* Returns 0, which the verifier does not know. An exclusive or with it hides a value. */
INLINE uint64_t sonde_control_zero(void)
{
	return sonde_control.zero;
}

INLINE uint32_t sonde_control_exiting(void)
{
	return sonde_control.exiting;
}

/* Advance a map's epoch and return the previous one, for user space. While SONDE_EPOCH_SLOTS - 1
 * clears wait for user space, the epoch stays, since a slot of an array would be used twice. In
 * this case the epoch before the current one is returned, which an earlier record has already
 * ended. */
INLINE uint32_t sonde_control_clear(uint32_t map, uint32_t probe)
{
	uint32_t epoch = sonde_control.epoch[map];

	if (epoch - sonde_control.acked[map] >= SONDE_EPOCH_SLOTS - 1) {
		sonde_loss_count(probe, SONDE_LOSS_CLEAR);
		return epoch - 1;
	}
	__sync_val_compare_and_swap((uint32_t *)&sonde_control.epoch[map], epoch, epoch + 1);
	return epoch;
}

/* Note that a probe fired. The byte is written only once, so that all CPUs can keep the cache
 * line. */
INLINE void sonde_control_fired(uint32_t probe)
{
	if (!sonde_control.fired[probe])
		sonde_control.fired[probe] = 1;
}

/* Count a hit of a probe, in its column of the loss table. */
INLINE void sonde_control_hit(uint32_t probe)
{
	if (sonde_control.counts_hits)
		sonde_loss_count(probe, SONDE_HITS);
}

/* A run of a probe begins. */
INLINE void sonde_control_begin(uint32_t probe)
{
	sonde_control_fired(probe);
	sonde_control_hit(probe);
}

INLINE void sonde_control_exit(uint64_t code)
{
	sonde_control.exit_code = code;
	sonde_control.exiting = 1;
}
