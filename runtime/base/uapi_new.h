/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel UAPI that is newer than the headers of Debian 12 (6.1): constants and layouts which the
 * runtime passes to bpf(2) itself, each with the kernel version that introduced it. The names are
 * our own, so they do not clash with newer headers.
 */
#pragma once
#include <stdint.h>
#include <linux/bpf.h>

enum {
	NEW_BPF_TRACE_UPROBE_MULTI = 48,   /* attach type, 6.6 */
	NEW_BPF_TRACE_KPROBE_SESSION = 56, /* attach type, 6.10 */
	NEW_BPF_TRACE_UPROBE_SESSION = 57, /* attach type, 6.13 */

	NEW_BPF_F_UPROBE_MULTI_RETURN = 1 << 0, /* link_create.uprobe_multi.flags, 6.6 */
};

/* The part of `union bpf_attr` that BPF_LINK_CREATE reads for a uprobe_multi link (6.6). Pass
 * sizeof(struct new_link_create) as the size. */
struct new_link_create {
	uint32_t prog_fd;
	uint32_t target_fd;   /* 0 */
	uint32_t attach_type; /* NEW_BPF_TRACE_UPROBE_MULTI, …_SESSION */
	uint32_t flags;	      /* 0 */
	struct {
		uint64_t path;		  /* const char *: the file, absolute */
		uint64_t offsets;	  /* const uint64_t[cnt]: file offsets */
		uint64_t ref_ctr_offsets; /* const uint64_t[cnt], or 0 */
		uint64_t cookies;	  /* const uint64_t[cnt], or 0 */
		uint32_t cnt;
		uint32_t flags;
		uint32_t pid;	 /* 0: all; below 6.10 a thread, not a process */
		uint32_t unused; /* 0: makes the size a multiple of 8 without hidden padding */
	} uprobe_multi;
};
_Static_assert(sizeof(struct new_link_create) == 64, "differs from the kernel's layout");

enum {
	NEW_BPF_LINK_TYPE_PERF_EVENT = 7,
	NEW_BPF_PERF_EVENT_KPROBE = 3,
	NEW_BPF_PERF_EVENT_KRETPROBE = 4
};

/* struct bpf_link_info of a kprobe link, 6.6; `missed` since 6.7. */
struct new_kprobe_link_info {
	uint32_t link_type, id, prog_id, pad;
	uint32_t event_type, pad2;
	uint64_t func_name;
	uint32_t name_len, offset;
	uint64_t addr, missed, cookie;
};
_Static_assert(sizeof(struct new_kprobe_link_info) == 64, "differs from the kernel's layout");

enum { NEW_BPF_LINK_TYPE_KPROBE_MULTI = 8 };

/* struct bpf_link_info of a kprobe_multi link, 6.6; `missed` since 6.7. */
struct new_kprobe_multi_info {
	uint32_t link_type, id, prog_id, pad;
	uint64_t addrs;
	uint32_t count, flags;
	uint64_t missed, cookies, unused;
};
_Static_assert(sizeof(struct new_kprobe_multi_info) == 56, "differs from the kernel's layout");
