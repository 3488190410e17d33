/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The loss table: counts what could not be recorded, by probe and cause.
 */
#include "bpf_helpers/helpers.h"

/* The runtime sets max_entries to probes * slots. */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sonde_counters);
} sonde_losses SEC(".maps");

static INLINE void add(uint32_t probe, uint32_t cause, uint64_t more)
{
	uint32_t mask = sonde_config.loss_mask;
	uint32_t index = probe * (mask + 1) + (bpf_get_smp_processor_id() & mask);
	struct sonde_counters *c = bpf_map_lookup_elem(&sonde_losses, &index);

	if (c && cause < SONDE_COUNTERS)
		__sync_fetch_and_add(&c->n[cause], more);
}

INLINE void sonde_loss_add(uint32_t probe, uint32_t cause, uint64_t n)
{
	add(probe, cause, n);
}

OUTLINED void sonde_loss_count(uint32_t probe, uint32_t cause)
{
	add(probe, cause, 1);
}
