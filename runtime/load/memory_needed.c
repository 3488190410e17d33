/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the memory of a run from the plan. Measured in memory cgroups: a script without maps
 * needs 4 MiB, one with a ring of 8 MiB 11. Of virtual memory, both need 36 MiB more.
 */
#include "runtime/load/memory_needed.h"
#include "parser/plan/plan.h"
#include "runtime/base/limit_hint.h"
#include "runtime/session/ring.h"
#include <bpf/libbpf.h>
#include <linux/bpf.h>

enum {
	BASE_BYTES = 5 << 20,
	IMAGE_BYTES = 36 << 20,	 /* address space of the program and its libraries */
	SYMBOLS_BYTES = 6 << 20, /* names of kernel functions */
	BUCKET_BYTES = 16,	 /* of a hash */
	ELEMENT_BYTES = 64,	 /* that the kernel adds to a preallocated key and value */
};

static uint64_t buckets_of(uint32_t max_entries)
{
	uint64_t n = 1;

	while (n < max_entries)
		n *= 2;
	return n * BUCKET_BYTES;
}

static uint64_t map_bytes(const struct plan_map *m, uint32_t n_cpus)
{
	uint64_t full = plan_map_bytes(m, n_cpus);

	if (!plan_is_hash(m))
		return full;
	if (m->flags & BPF_F_NO_PREALLOC)
		return buckets_of(m->max_entries);
	return buckets_of(m->max_entries) + full + (uint64_t)m->max_entries * ELEMENT_BYTES;
}

uint64_t session_memory_needed(const struct plan *plan)
{
	int possible = libbpf_num_possible_cpus();
	uint32_t n_cpus = possible > 0 ? (uint32_t)possible : 1;
	struct ring_layout ring = {0};
	uint64_t bytes = BASE_BYTES + (limit_is_virtual() ? IMAGE_BYTES : 0);

	for (uint32_t i = 0; i < plan->n_maps; i++)
		bytes += map_bytes(&plan->maps[i], n_cpus);
	for (uint32_t i = 0; i < plan->n_probes; i++)
		if (plan->probes[i].state.bpf_type == BPF_MAP_TYPE_HASH)
			bytes += buckets_of(plan->probes[i].state.max_entries);
	if (plan->needs.stack_entries)
		bytes += buckets_of(plan->needs.stack_entries);
	if (plan->needs.kstack)
		bytes += SYMBOLS_BYTES;
	if (plan->needs.ring_buffer)
		ring = ring_layout(plan, n_cpus);
	return bytes + (uint64_t)ring.segments * ring.element_bytes;
}
