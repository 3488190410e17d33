/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What an expert would write by hand with libbpf for the jobs of events.py: the reference for
 * generated code. hand.c loads one program at a time. Differences from sonde: these programs do not
 * exclude the tracer or 32-bit calls, have no epochs, and count no losses.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

enum {
	SLOTS = 65,
	FRAMES = 127,
	STACKS = 16384,
	KEYS = 10240,
	USER = BPF_F_USER_STACK,
	DEAD = 0x80
};

struct task_struct {
	int pid;
	unsigned int __state;
} __attribute__((preserve_access_index));

const volatile unsigned long traced_number; /* set by hand.c */

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

struct comm {
	char text[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, KEYS);
	__type(key, struct comm);
	__type(value, unsigned long);
} by_comm SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SLOTS);
	__type(key, unsigned int);
	__type(value, unsigned long);
} histogram SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, STACKS);
	__uint(key_size, sizeof(unsigned int));
	__uint(value_size, FRAMES * sizeof(unsigned long));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} records SEC(".maps");

struct two_stacks {
	int kernel, user;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, KEYS);
	__type(key, struct two_stacks);
	__type(value, unsigned long);
} by_stacks SEC(".maps");

struct off {
	unsigned long start;
	struct two_stacks at;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct off);
} starts SEC(".maps");

/* Look up, add in place; the first time, insert. */
static inline __attribute__((always_inline)) void add(void *map, const void *key,
						      unsigned long amount)
{
	unsigned long *n = bpf_map_lookup_elem(map, key);

	if (n)
		*n += amount;
	else
		bpf_map_update_elem(map, key, &amount, BPF_ANY);
}

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
	unsigned int pid;

	if (ctx->args[1] != traced_number)
		return 0;
	pid = bpf_get_current_pid_tgid() >> 32;
	add(&by_pid, &pid, 1);
	return 0;
}

SEC("raw_tp/sys_enter")
int print_pid(struct bpf_raw_tracepoint_args *ctx)
{
	unsigned int *pid;

	if (ctx->args[1] != traced_number)
		return 0;
	pid = bpf_ringbuf_reserve(&records, sizeof(*pid), 0);
	if (!pid)
		return 0;
	*pid = bpf_get_current_pid_tgid() >> 32;
	bpf_ringbuf_submit(pid, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/sys_enter")
int count_comm(struct bpf_raw_tracepoint_args *ctx)
{
	struct comm comm;

	if (ctx->args[1] != traced_number)
		return 0;
	bpf_get_current_comm(comm.text, sizeof(comm.text));
	add(&by_comm, &comm, 1);
	return 0;
}

static inline __attribute__((always_inline)) unsigned int log2_of(unsigned long v)
{
	unsigned int n = (v > 0xffffffff) << 5;

	v >>= n;
	for (int bits = 4; bits >= 0; bits--) {
		unsigned int shift = (v >= 1ul << (1 << bits)) << bits;

		v >>= shift;
		n += shift;
	}
	return n;
}

SEC("raw_tp/sys_enter")
int hist_nsecs(struct bpf_raw_tracepoint_args *ctx)
{
	unsigned int slot;
	unsigned long *n;

	if (ctx->args[1] != traced_number)
		return 0;
	slot = log2_of(bpf_ktime_get_boot_ns()) + 1;
	n = bpf_map_lookup_elem(&histogram, &slot);
	if (n)
		*n += 1;
	return 0;
}

SEC("raw_tp/sys_enter")
int count_stacks(struct bpf_raw_tracepoint_args *ctx)
{
	struct two_stacks at;

	if (ctx->args[1] != traced_number)
		return 0;
	at.kernel = bpf_get_stackid(ctx, &stacks, 0);
	at.user = bpf_get_stackid(ctx, &stacks, USER);
	add(&by_stacks, &at, 1);
	return 0;
}

/* ---- off CPU: the start in task storage, both stacks taken when the thread leaves --------- */

static inline __attribute__((always_inline)) struct off *leaves(struct task_struct *t)
{
	struct off *s;

	if (!t->pid || t->__state & DEAD)
		return 0;
	s = bpf_task_storage_get(&starts, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (s)
		s->start = bpf_ktime_get_ns();
	return s;
}

static inline __attribute__((always_inline)) unsigned long comes(struct task_struct *t,
								 struct off **s)
{
	unsigned long start;

	*s = t->pid ? bpf_task_storage_get(&starts, t, 0, 0) : 0;
	if (!*s || !(*s)->start)
		return 0;
	start = (*s)->start;
	(*s)->start = 0;
	return bpf_ktime_get_ns() - start;
}

SEC("tp_btf/sched_switch")
int off_sum(unsigned long *ctx)
{
	unsigned int zero = 0;
	unsigned long *n, delta;
	struct off *s;

	leaves((void *)ctx[1]);
	delta = comes((void *)ctx[2], &s);
	n = delta ? bpf_map_lookup_elem(&total, &zero) : 0;
	if (n)
		*n += delta;
	return 0;
}

SEC("tp_btf/sched_switch")
int off_long(unsigned long *ctx)
{
	unsigned int zero = 0;
	unsigned long *n, delta;
	struct off *s;

	leaves((void *)ctx[1]);
	delta = comes((void *)ctx[2], &s);
	n = delta > 1000000000 ? bpf_map_lookup_elem(&total, &zero) : 0;
	if (n)
		*n += delta;
	return 0;
}

SEC("tp_btf/sched_switch")
int off_stacks(unsigned long *ctx)
{
	struct off *s = leaves((void *)ctx[1]);
	unsigned long delta;

	if (s) {
		s->at.kernel = bpf_get_stackid(ctx, &stacks, 0);
		s->at.user = bpf_get_stackid(ctx, &stacks, USER);
	}
	delta = comes((void *)ctx[2], &s);
	if (delta)
		add(&by_stacks, &s->at, delta);
	return 0;
}

/* ---- a user stack at each switch away from a program, neither stored nor hashed ------------ */

struct frames {
	unsigned long addresses[FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct frames);
} scratch SEC(".maps");

SEC("tp_btf/sched_switch")
int switch_stack(unsigned long *ctx)
{
	unsigned int zero = 0;
	struct frames *room;
	struct comm comm;

	bpf_get_current_comm(comm.text, sizeof(comm.text));
	room = bpf_map_lookup_elem(&scratch, &zero);
	if (room && !__builtin_memcmp(comm.text, "pingpong", 8))
		bpf_get_stack(ctx, room, sizeof(*room), USER);
	return 0;
}

static inline __attribute__((always_inline)) void count_one(void)
{
	unsigned int zero = 0;
	unsigned long *n = bpf_map_lookup_elem(&total, &zero);

	if (n)
		__sync_fetch_and_add(n, 1);
}

SEC("uprobe")
int call_entry(void *ctx)
{
	count_one();
	return 0;
}

SEC("uretprobe")
int call_return(void *ctx)
{
	count_one();
	return 0;
}

char hand_license[] SEC("license") = "GPL";
