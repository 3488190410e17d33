/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * The stack is read before it was written: see uninitialized-stack.bt.
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
	int key;

	asm volatile("" : : "r"(&key)); /* the compiler now takes it for written */
	return bpf_map_lookup_elem(&values, &key) != NULL;
}

long right(void)
{
	int key = 0;

	return bpf_map_lookup_elem(&values, &key) != NULL;
}
