/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Facts about a thread given by a typed pointer (tp_btf arguments, the current task's).
 */
#include "helpers.h"

INLINE_CORE uint64_t sonde_task_pid(struct task_struct *t)
{
	return (uint32_t)t->tgid;
}

INLINE_CORE uint64_t sonde_task_tid(struct task_struct *t)
{
	return (uint32_t)t->pid;
}

INLINE_CORE uint64_t sonde_task_uid(struct task_struct *t)
{
	return t->cred->uid.val;
}

INLINE_CORE void sonde_task_comm(struct task_struct *t, char *comm)
{
	bpf_probe_read_kernel(comm, 16, t->comm);
}

INLINE_CORE uint64_t sonde_task_exec_id(struct task_struct *t)
{
	return (uint32_t)t->self_exec_id;
}

/* Kernel threads have none. */
INLINE_CORE uint32_t sonde_task_has_memory(struct task_struct *t)
{
	return t->mm != 0;
}

INLINE_CORE uint64_t sonde_task_gid(struct task_struct *t)
{
	return t->cred->gid.val;
}

/* Process and execve count of the current thread: one address space, in 64 bits. */
INLINE_CORE uint64_t sonde_task_space(void)
{
	struct task_struct *t = bpf_get_current_task_btf();

	return (uint32_t)t->tgid | (uint64_t)(uint32_t)t->self_exec_id << 32;
}
