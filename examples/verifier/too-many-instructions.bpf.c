/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * The program is too long to be checked: see too-many-instructions.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* The start is random, so that the compiler cannot compute the result. */
static __always_inline long mix(int rounds)
{
	unsigned long hash = bpf_get_prandom_u32();

	for (int i = 0; i < rounds; i++) {
		hash = (hash ^ i) * 1099511628211;
		hash ^= hash >> 29;
		hash = (hash + i) * 14029467366897019727u;
		hash ^= hash >> 32;
	}
	return hash != 0;
}

long wrong(void)
{
	return mix(1000000);
}

long right(void)
{
	return mix(1000);
}
