/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A value of a map is read beyond its end: see beyond-the-value.bt.
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
	long *value = bpf_map_lookup_elem(&values, &key);

	return value ? value[1] : 0;
}

long right(void)
{
	int key = 0;
	long *value = bpf_map_lookup_elem(&values, &key);

	return value ? value[0] : 0;
}
