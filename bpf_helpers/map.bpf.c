/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Writes to a script's maps. Each failure is counted by its cause.
 */
#include "bpf_helpers/helpers.h"

OUTLINED void sonde_map_lose(long err, uint32_t probe)
{
	sonde_loss_count(probe, err == -E2BIG	 ? SONDE_LOSS_MAP_FULL
				: err == -ENOMEM ? SONDE_LOSS_MAP_NOMEM
						 : SONDE_LOSS_MAP_BUSY);
}

/* Count the failure of a write. */
INLINE void sonde_map_check(long err, uint32_t probe)
{
	if (unlikely(err))
		sonde_map_lose(err, probe);
}

/* Insert `amount`. If another CPU inserts a value first, add to that element. */
OUTLINED uint64_t sonde_map_insert(void *map, const void *key, uint64_t amount, uint32_t probe)
{
	long err = bpf_map_update_elem(map, key, &amount, BPF_NOEXIST);
	uint64_t *value;

	if (err == -EEXIST) {
		value = bpf_map_lookup_elem(map, key);
		if (value)
			return __sync_fetch_and_add(value, amount);
	}
	if (unlikely(err))
		sonde_map_lose(err, probe);
	return 0;
}

/* Add to a 64-bit value in place, or insert it. Returns the previous value; if the caller does not
 * use it, LLVM drops the fetch. */
INLINE uint64_t sonde_map_add(void *map, const void *key, uint64_t amount, uint32_t probe)
{
	uint64_t *value = bpf_map_lookup_elem(map, key);

	if (value)
		return __sync_fetch_and_add(value, amount);
	return sonde_map_insert(map, key, amount, probe);
}
