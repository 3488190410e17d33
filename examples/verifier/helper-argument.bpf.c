/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A helper gets an argument of another kind: see helper-argument.bt.
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

	return bpf_map_lookup_elem((void *)1, &key) != NULL;
}

long right(void)
{
	int key = 0;

	return bpf_map_lookup_elem(&values, &key) != NULL;
}
