/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The loss table: counts what could not be recorded, by probe and cause.
 */
#include "bpf_helpers/helpers.h"

/* The runtime sets max_entries to probes * SONDE_COUNTERS. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} sonde_losses SEC(".maps");

static INLINE void add(uint32_t probe, uint32_t cause, uint64_t more)
{
	uint32_t index = probe * SONDE_COUNTERS + cause;
	uint64_t *n = bpf_map_lookup_elem(&sonde_losses, &index);

	if (n)
		__sync_fetch_and_add(n, more);
}

INLINE void sonde_loss_add(uint32_t probe, uint32_t cause, uint64_t n)
{
	add(probe, cause, n);
}

OUTLINED void sonde_loss_count(uint32_t probe, uint32_t cause)
{
	add(probe, cause, 1);
}
