/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Functions of BPF for imports.test that change more than their own maps, in ways that `ACT` selects.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#if ACT == 1 /* in a function that is called */
static __noinline long deep(int sig)
{
	return bpf_send_signal(sig);
}

int act(int sig)
{
	return deep(sig) + 1;
}
#elif ACT == 2		   /* in a callback */
static long callback(__u32 i, void *sig)
{
	bpf_send_signal_thread(*(int *)sig);
	return i;
}

int act(int sig)
{
	return bpf_loop(1, callback, &sig, 0);
}
#elif ACT == 3		   /* a helper that is not in the table, in a program that is not loaded */
int act(int x)
{
	return x;
}

SEC("tc")
int program(struct __sk_buff *skb)
{
	return bpf_redirect(1, 0);
}
#elif ACT == 4		   /* a function of the kernel that is not in the table */
extern int bpf_set_file_xattr(void *file, const char *name, void *value, int flags) __ksym;

int act(int x)
{
	return bpf_set_file_xattr((void *)(long)x, "a", 0, 0);
}
#elif ACT == 5		   /* by number */
int act(int x)
{
	asm volatile(".byte 0x85, 0x20, 0, 0, 1, 1, 0, 0" ::: "r0", "r1", "r2", "r3", "r4", "r5");
	return x;
}
#elif ACT == 6 || ACT == 7 /* maps of others, and of sockets */
struct {
	__uint(type, ACT == 7 ? BPF_MAP_TYPE_SOCKHASH : BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, int);
	__type(value, long);
#if ACT == 6
	__uint(pinning, LIBBPF_PIN_BY_NAME);
#endif
} a_map SEC(".maps");

int act(int key)
{
	return bpf_map_delete_elem(&a_map, &key);
}
#elif ACT == 8	/* sonde's own */
extern void sonde_loss_add(__u32 probe, __u32 cause, __u64 n);

int act(int x)
{
	sonde_loss_add(x, x, x);
	return x;
}
#elif ACT == 10 /* in place of a function of sonde, which passes the registers */
long sonde_keep_kstack(void *ctx)
{
	return 0;
}

int act(int x)
{
	return x;
}
#elif ACT == 9	/* harmless functions of the kernel */
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

int act(int x)
{
	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	return x + 1;
}
#endif
