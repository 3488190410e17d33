/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Finds the thread with a given id in the kernel's table of process ids, a radix tree with 64 slots
 * in a node. bpf_task_from_pid() does the same, but only a few program types may call it, and none
 * before Linux 6.2. The reads take no lock: a thread that ends in the meantime is not found.
 */
#include "bpf_helpers/helpers.h"

enum {
	NODE_BITS = 6,	  /* XA_CHUNK_SHIFT */
	NODE_LEVELS = 4,  /* process ids have at most 22 bits */
	ENTRY_IS_NODE = 2 /* the low two bits of a slot */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct xarray {
	void *xa_head;
};

struct idr {
	struct xarray idr_rt;
};

struct pid_namespace___idr {
	struct idr idr;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct pid___tasks {
	struct hlist_head tasks[1]; /* PIDTYPE_PID */
};

struct task_struct___links {
	struct hlist_node pid_links[1];
	char comm[16];
};

#pragma clang attribute pop

static INLINE_CORE uint64_t slot(uint64_t entry, uint32_t nr, uint32_t *shift)
{
	const struct xa_node *node = (const void *)(entry - ENTRY_IS_NODE);
	uint64_t next = 0;
	uint8_t at = 0;

	bpf_core_read(&at, sizeof(at), &node->shift);
	*shift = at;
	if (at >= NODE_LEVELS * NODE_BITS || nr >> at >> NODE_BITS)
		return 0;
	bpf_probe_read_kernel(&next, sizeof(next),
			      (const char *)__builtin_preserve_access_index(&node->slots) +
				      (nr >> at & ((1 << NODE_BITS) - 1)) * sizeof(next));
	return next;
}

/* The address of the struct pid of a number; 0: there is none. */
static INLINE_CORE uint64_t find(const struct pid_namespace___idr *ns, uint32_t nr)
{
	uint32_t shift = 1;
	uint64_t entry = 0;

	bpf_core_read(&entry, sizeof(entry), &ns->idr.idr_rt.xa_head);
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < NODE_LEVELS && (entry & 3) == ENTRY_IS_NODE; i++) {
		entry = slot(entry, nr, &shift);
		if (!shift)
			break;
		nr &= (1u << (shift & 31)) - 1;
	}
	return shift || entry & 3 ? 0 : entry;
}

/* The name of thread `nr` of the tracer's pid namespace, or "N/A". */
INLINE_CORE void sonde_pid_comm(uint32_t nr, uint64_t *comm)
{
	const struct pid___tasks *pid = (const void *)find(sonde_number_namespace(), nr);
	const struct task_struct___links *task;
	const struct hlist_node *link = 0;
	char *name = (char *)comm;

	comm[0] = 'N' | '/' << 8 | 'A' << 16;
	comm[1] = 0;
	if (!pid || bpf_core_read(&link, sizeof(link), &pid->tasks[0].first) || !link)
		return;
	task = (const void *)((const char *)link -
			      __builtin_preserve_field_info(
				      ((struct task_struct___links *)0)->pid_links,
				      BPF_FIELD_BYTE_OFFSET));
	bpf_probe_read_kernel_str(name, 16, __builtin_preserve_access_index(&task->comm));
}
