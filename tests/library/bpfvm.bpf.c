/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object that test_bpfvm.c runs.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))

static void *(*const lookup)(void *map, const void *key) = (void *)1; /* bpf_map_lookup_elem */

struct {
	int (*type)[2]; /* BPF_MAP_TYPE_ARRAY */
	int (*max_entries)[4];
	u32 *key;
	u64 *value;
} counts SEC(".maps");

SEC("raw_tp") u32 count(void *ctx)
{
	u32 key = 2;
	u64 *n = lookup(&counts, &key);

	return n ? (u32)++ * n : 0;
}

SEC("raw_tp") u32 read_wild(void *ctx)
{
	return *(volatile u32 *)0x1000;
}

char gpl[] SEC("license") = "GPL";
