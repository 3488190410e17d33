/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Bucket numbers of histograms. BPF programs count with these functions (bucket.bpf.c), user space
 * computes the bounds of buckets from them, and the unit tests check them.
 */
#pragma once
#include "bpf_helpers/shared.h"

/* floor(log2(x)) for x >= 1. Six halving steps take the place of a loop, whose iterations the
 * verifier would follow. */
static inline __attribute__((always_inline)) uint32_t sonde_bucket_log2(uint64_t x)
{
	uint32_t log = 0, step;

	step = (x > 0xffffffffull) << 5;
	x >>= step;
	log |= step;
	step = (x > 0xffff) << 4;
	x >>= step;
	log |= step;
	step = (x > 0xff) << 3;
	x >>= step;
	log |= step;
	step = (x > 0xf) << 2;
	x >>= step;
	log |= step;
	step = (x > 0x3) << 1;
	x >>= step;
	log |= step;
	return log | (uint32_t)(x >> 1);
}

/* The logarithmic bucket of n. Each power of two is split into 2^k equal buckets. Bucket 0 holds
 * negative values; each value below 2^k has a bucket of its own. */
static inline __attribute__((always_inline)) uint64_t sonde_bucket_log(int64_t n, uint32_t k)
{
	uint64_t mask = (1ull << k) - 1;
	uint32_t shift;

	if (n < 0)
		return 0;
	if ((uint64_t)n <= mask)
		return (uint64_t)n + 1;
	shift = sonde_bucket_log2((uint64_t)n) - k;
	return ((uint64_t)(shift + 1) << k) + (((uint64_t)n >> shift) & mask) + 1;
}

/* The same, with buckets for negative values: the bucket of -n is as far below the bucket of 0 as
 * the bucket of n is above it. */
static inline __attribute__((always_inline)) uint64_t sonde_bucket_signed(int64_t n, uint32_t k)
{
	uint64_t middle = ((uint64_t)(64 - k) << k) - 1;
	uint64_t magnitude = n < 0 ? -(uint64_t)n : (uint64_t)n;

	if (magnitude > 0x7fffffffffffffffull)
		magnitude = 0x7fffffffffffffffull;
	magnitude = sonde_bucket_log((int64_t)magnitude, k) - 1;
	return n < 0 ? middle - magnitude : middle + magnitude;
}

/* The linear bucket of n; each bucket is `step` wide. Bucket 0 holds values below `min`, the last
 * bucket those above `max`. */
static inline __attribute__((always_inline)) uint64_t sonde_bucket_linear(int64_t n, int64_t min,
									  int64_t max,
									  uint64_t step)
{
	if (n < min)
		return 0;
	if (n > max)
		n = max;
	return 1 + ((uint64_t)n - (uint64_t)min) / step;
}
