/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Facts about a thread given by a typed pointer (tp_btf arguments), for probes whose subject is not
 * the current thread; the hidden state of spans; system calls' ABI.
 */
#include "control.h"

INLINE uint64_t sonde_task_pid(struct task_struct *t)
{
	return (uint32_t)t->tgid;
}

INLINE uint64_t sonde_task_tid(struct task_struct *t)
{
	return (uint32_t)t->pid;
}

INLINE uint64_t sonde_task_uid(struct task_struct *t)
{
	return t->cred->uid.val;
}

INLINE void sonde_task_comm(struct task_struct *t, char *comm)
{
	bpf_probe_read_kernel(comm, 16, t->comm);
}

enum { TASK_IS_DEAD = 0x80 };

/* A thread that is switched out to come back: not the idle task, not one on its way to the grave. */
INLINE uint32_t sonde_span_begins(struct task_struct *t)
{
	return t->pid != 0 && !(t->__state & TASK_IS_DEAD);
}

/* The idle task has no span to end. */
INLINE uint32_t sonde_span_ends(struct task_struct *t)
{
	return t->pid != 0;
}

INLINE void *sonde_span_open(void *map, struct task_struct *t, uint32_t probe)
{
	void *state = bpf_task_storage_get(map, t, 0, STORAGE_CREATE);

	if (unlikely(!state))
		sonde_lose(probe, SONDE_LOSS_TASK_STORAGE);
	return state;
}

INLINE void *sonde_span_find(void *map, struct task_struct *t)
{
	return bpf_task_storage_get(map, t, 0, 0);
}

enum { X86_TS_COMPAT = 2 };

/* A 32-bit program's system call on a 64-bit kernel: its number is of another table. */
INLINE uint32_t sonde_is_compat(void)
{
#ifdef SONDE_TARGET_x86
	return (bpf_get_current_task_btf()->thread_info.status & X86_TS_COMPAT) != 0;
#else
	return 0;
#endif
}

/* Copy from kernel memory, or from a tracepoint's record, into a buffer on the stack. */
INLINE void sonde_read_kernel(void *to, uint32_t size, const void *from)
{
	bpf_probe_read_kernel(to, size, from);
}
