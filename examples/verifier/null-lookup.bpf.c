/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A lookup is used that may have found nothing: see null-lookup.bt.
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

	return *value;
}

long right(void)
{
	int key = 0;
	long *value = bpf_map_lookup_elem(&values, &key);

	if (!value)
		return 0;
	return *value;
}
