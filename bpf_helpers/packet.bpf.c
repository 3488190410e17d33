/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Sends packets to user space. A packet can be in several parts, which only the kernel can put
 * together, and its helper writes to a perf buffer only.
 */
#include "bpf_helpers/helpers.h"

SHARED struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} sonde_packets SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff {
	unsigned int len;
};

#pragma clang attribute pop

static INLINE uint64_t least(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* Returns 0 or a negative error number. A packet that is not sent is counted. */
INLINE_CORE int64_t sonde_packet_send(struct sk_buff *skb, uint32_t event, uint32_t probe,
				      uint64_t length, uint64_t offset)
{
	struct sonde_packet_event record = {.head = {event, probe}};
	uint64_t used;
	int64_t err = -EFAULT;

	if (skb)
		record.length = skb->len;
	if (skb && offset <= record.length) {
		used = offset + least(length, record.length - offset);
		record.used = least(used, SONDE_PACKET_BYTES);
		record.skipped = least(offset, record.used);
		record.time_ns = bpf_ktime_get_boot_ns();
		err = bpf_skb_output(skb, &sonde_packets,
				     (uint64_t)record.used << 32 | BPF_F_CURRENT_CPU, &record,
				     sizeof(record));
	}
	if (err)
		sonde_loss_count(probe,
				 err == -ENOSPC ? SONDE_LOSS_PACKETS_FULL : SONDE_LOSS_PACKET);
	return err;
}
