/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Histograms: find the bucket of a value, and count in an array of buckets.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/bucket.h"

INLINE uint64_t sonde_bucket_find_log(int64_t n, uint32_t k)
{
	return sonde_bucket_log(n, k);
}

INLINE uint64_t sonde_bucket_find_signed(int64_t n, uint32_t k)
{
	return sonde_bucket_signed(n, k);
}

INLINE uint64_t sonde_bucket_find_linear(int64_t n, int64_t min, int64_t max, uint64_t step)
{
	return sonde_bucket_linear(n, min, max, step);
}

/* Add one to a bucket, and the value to the word behind the buckets. LLVM knows that
 * bucket < n_buckets and would remove the test, which the verifier needs. */
INLINE void sonde_bucket_count(uint64_t *counters, uint64_t bucket, uint64_t n_buckets,
			       uint64_t value)
{
	__sync_fetch_and_add(&counters[n_buckets], value);
	barrier_var(bucket);
	if (bucket < n_buckets)
		__sync_fetch_and_add(&counters[bucket], 1);
}
