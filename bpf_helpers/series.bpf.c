/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * tseries(): an entry for each of the last n intervals, under the interval's number modulo n. After
 * the slots of the CPUs, an entry has the number of its interval. The first program in a later
 * interval removes it and inserts a new one, so that no CPU has to reset words that others add to.
 * The words of a CPU are the number of the interval, once the CPU has added to it, and two words
 * whose meaning depends on the operation (enum series_op).
 */
#include "bpf_helpers/helpers.h"

enum { SERIES_TRIES = 4 };

#define SERIES_REPLACED (~0ull) /* the entry is being removed */

/* The number of the current interval since 1970. */
INLINE uint64_t sonde_series_interval(uint64_t interval)
{
	return (bpf_ktime_get_boot_ns() + sonde_config.boot_to_wall_ns) / interval;
}

/* This CPU's words for `interval`. NULL if the entry is for a later interval already, or if there
 * is no room for an entry, which is counted. */
INLINE uint64_t *sonde_series_slot(void *map, const void *key, uint64_t interval, uint32_t n,
				   uint32_t bytes, uint32_t probe)
{
	long err;

#pragma unroll
	for (int i = 0; i < SERIES_TRIES; i++) {
		uint8_t *element = bpf_map_lookup_elem(map, key);
		uint64_t *is_for, held;

		if (!element) {
			err = bpf_map_update_elem(map, key, (const void *)sonde_config.zeros,
						  BPF_NOEXIST);
			if (err && err != -EEXIST) {
				sonde_map_lose(err, probe);
				return 0;
			}
			continue;
		}
		is_for = (uint64_t *)(element + n * bytes);
		held = *(volatile uint64_t *)is_for;
		if (!held) {
			held = __sync_val_compare_and_swap(is_for, 0, interval);
			held = held ? held : interval;
		}
		if (held == interval)
			return sonde_agg_slot(element, n, bytes);
		if (held == SERIES_REPLACED)
			continue;
		if (held > interval)
			return 0;
		if (__sync_val_compare_and_swap(is_for, held, SERIES_REPLACED) == held)
			bpf_map_delete_elem(map, key);
	}
	sonde_loss_count(probe, SONDE_LOSS_MAP_BUSY);
	return 0;
}

INLINE void sonde_series_last(uint64_t *words, uint64_t interval, uint64_t value, uint32_t probe)
{
	words[1] = value;
	words[2] = bpf_ktime_get_boot_ns();
	words[0] = interval;
}

INLINE void sonde_series_average(uint64_t *words, uint64_t interval, uint64_t value, uint32_t probe)
{
	sonde_agg_average(words + 1, value, probe);
	words[0] = interval;
}

/* Store the maximum; `value` is in the order of agg_ordered(). */
INLINE void sonde_series_max(uint64_t *words, uint64_t interval, uint64_t value, uint32_t probe)
{
	sonde_agg_max(words + 1, value, probe);
	words[0] = interval;
}

INLINE void sonde_series_sum(uint64_t *words, uint64_t interval, uint64_t value, uint32_t probe)
{
	sonde_agg_sum(words + 1, value, probe);
	words[0] = interval;
}
