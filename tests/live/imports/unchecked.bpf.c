/* SPDX-License-Identifier: Apache-2.0 */
/* A mistake that the verifier refuses: the index is not checked. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned);
	__type(value, char[64]);
} buf SEC(".maps");

long pick(long i)
{
	unsigned k = 0;
	char *v = bpf_map_lookup_elem(&buf, &k);

	if (!v)
		return 0;
	return v[i];
}
