/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Aggregations: update the current CPU's words in place, and read them over all CPUs. In a map with
 * keys an element holds one slot of words per CPU, side by side (plan_slots); without keys the map
 * is a per-CPU array. A CPU's words do not belong to one run of a program: a run can be preempted
 * or interrupted by others, and on machines with many CPUs several CPUs share a slot. So every
 * change is atomic.
 */
#include "bpf_helpers/helpers.h"

enum { MAX_TRIES = 4 }; /* an attempt fails if another program has changed the word */

OUTLINED void *sonde_agg_insert(void *map, const void *key, uint32_t probe)
{
	long err = bpf_map_update_elem(map, key, (const void *)sonde_config.zeros, BPF_NOEXIST);

	if (err && err != -EEXIST)
		sonde_map_lose(err, probe);
	return bpf_map_lookup_elem(map, key);
}

/* This CPU's words in an element of `n` slots; `n` is constant after inlining. If there are more
 * CPUs than slots, `n` is a power of two and CPUs share slots. */
INLINE uint64_t *sonde_agg_slot(void *element, uint32_t n, uint32_t bytes)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	if (n & (n - 1))
		cpu = cpu < n ? cpu : 0;
	else
		cpu &= n - 1;
	return element + cpu * bytes;
}

/* This CPU's words in the element that was found. If none was (NULL), one with zeros is inserted; a
 * failure is counted and returns NULL. `place` has the probe, and the shape of the slots in its
 * high half. */
INLINE uint64_t *sonde_agg_words(void *element, void *map, const void *key, uint64_t place)
{
	uint32_t shape = place >> 32;

	if (!element)
		element = sonde_agg_insert(map, key, (uint32_t)place);
	if (!element)
		return 0;
	return sonde_agg_slot(element, sonde_slots(shape), shape & ((1u << SONDE_SHAPE_SLOTS) - 1));
}

/* Add to the word of count(), sum() or a bucket. */
INLINE void sonde_agg_add(void *element, void *map, const void *key, uint64_t value, uint64_t place)
{
	uint64_t *words = sonde_agg_words(element, map, key, place);

	if (words)
		__sync_fetch_and_add(words, value);
}

/* Add to the word of count() or sum(). */
INLINE void sonde_agg_sum(uint64_t *words, uint64_t value, uint32_t probe)
{
	__sync_fetch_and_add(words, value);
}

/* Store a value of min() or max() if it is the largest so far. The words are the maximum in the
 * order of agg_ordered(), and 1 if a value was stored. */
INLINE void sonde_agg_max(uint64_t *words, uint64_t value, uint32_t probe)
{
	uint64_t old = *(volatile uint64_t *)words, seen;

	words[1] = 1;
#pragma unroll
	for (int i = 0; i < MAX_TRIES; i++) {
		if (value <= old)
			return;
		seen = __sync_val_compare_and_swap(words, old, value);
		if (seen == old)
			return;
		old = seen;
	}
	sonde_loss_count(probe, SONDE_LOSS_MAP_BUSY);
}

/* Add a value to avg() or stats(). The words are {total, count}. */
INLINE void sonde_agg_average(uint64_t *words, uint64_t value, uint32_t probe)
{
	__sync_fetch_and_add(&words[0], value);
	__sync_fetch_and_add(&words[1], 1);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Reduce word `word` of all CPUs' elements to a sum or a maximum. The verifier knows n_cpus at load
 * time and follows that many iterations. `is_sum` is constant after inlining. */
INLINE uint64_t sonde_agg_over_cpus(void *map, const void *key, uint32_t word, uint32_t is_sum)
{
	uint64_t value = 0;

	for (uint32_t cpu = 0; cpu < SONDE_MAX_CPUS; cpu++) {
		uint64_t *words;

		if (cpu >= sonde_config.n_cpus)
			break;
		words = bpf_map_lookup_percpu_elem(map, key, cpu);
		if (!words)
			continue;
		if (is_sum)
			value += words[word];
		else if (words[word] > value)
			value = words[word];
	}
	return value;
}

/* The same over the slots of one element. The result is 0 if there is no element (NULL). */
INLINE uint64_t sonde_agg_over_slots(const void *element, uint32_t word, uint32_t n, uint32_t bytes,
				     uint32_t is_sum)
{
	const volatile uint64_t *words = element;
	uint64_t value = 0;

	if (!element)
		return 0;
#pragma clang loop unroll(disable) vectorize(disable)
	for (uint32_t i = 0; i < n; i++) {
		uint64_t one = words[word];

		if (is_sum)
			value += one;
		else if (one > value)
			value = one;
		words += bytes / 8;
	}
	return value;
}

/* ---- deleting ---------------------------------------------------------------------------- */

/* Zero the first `bytes` of every CPU's element of a map without keys. The word `touched` tells if
 * an element was written to. Returns non-zero if one was. */
INLINE uint64_t sonde_agg_forget(void *map, const void *key, uint32_t touched, uint32_t bytes)
{
	uint64_t had = 0;

	for (uint32_t cpu = 0; cpu < SONDE_MAX_CPUS; cpu++) {
		uint64_t *words;

		if (cpu >= sonde_config.n_cpus)
			break;
		words = bpf_map_lookup_percpu_elem(map, key, cpu);
		if (!words)
			continue;
		had |= words[touched];
		bpf_probe_read_kernel(words, bytes, 0); /* a failed read zeroes the destination */
	}
	return had;
}
