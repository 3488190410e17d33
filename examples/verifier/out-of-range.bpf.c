/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * An index is not checked: see out-of-range.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, int);
	__type(value, long);
} values SEC(".maps");

long wrong(void)
{
	int key = 0;
	char *value = bpf_map_lookup_elem(&values, &key);

	if (!value)
		return 0;
	return value[bpf_get_prandom_u32()];
}

long right(void)
{
	int key = 0;
	char *value = bpf_map_lookup_elem(&values, &key);

	if (!value)
		return 0;
	return value[bpf_get_prandom_u32() & 7];
}
