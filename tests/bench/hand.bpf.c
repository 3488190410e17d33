/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What an expert would write by hand with libbpf for `@ = count()` and `@[pid] = count()` on one
 * system call: the measure for generated code. Loaded by hand.c, one program at a time.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

const volatile unsigned long traced_number; /* hand.c sets it */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned long);
} total SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 10240);
	__type(key, unsigned int);
	__type(value, unsigned long);
} by_pid SEC(".maps");

SEC("raw_tp/sys_enter")
int count(struct bpf_raw_tracepoint_args *ctx)
{
	unsigned int zero = 0;
	unsigned long *n;

	if (ctx->args[1] != traced_number)
		return 0;
	n = bpf_map_lookup_elem(&total, &zero);
	if (n)
		*n += 1;
	return 0;
}

SEC("raw_tp/sys_enter")
int count_pid(struct bpf_raw_tracepoint_args *ctx)
{
	unsigned long *n, one = 1;
	unsigned int pid;

	if (ctx->args[1] != traced_number)
		return 0;
	pid = bpf_get_current_pid_tgid() >> 32;
	n = bpf_map_lookup_elem(&by_pid, &pid);
	if (n)
		*n += 1;
	else
		bpf_map_update_elem(&by_pid, &pid, &one, BPF_ANY);
	return 0;
}

char hand_license[] SEC("license") = "GPL";
