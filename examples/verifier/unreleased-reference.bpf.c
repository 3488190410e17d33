/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A record is reserved and never sent: see unreleased-reference.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

long wrong(void)
{
	long *record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);

	return record != NULL;
}

long right(void)
{
	long *record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);

	if (!record)
		return 0;
	*record = 1;
	bpf_ringbuf_submit(record, 0);
	return 1;
}
