/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Properties of a thread given by a typed pointer (tp_btf arguments, or the current task).
 */
#include "bpf_helpers/helpers.h"

enum { TASK_EXITS = 4, TASK_OF_KERNEL = 0x200000 }; /* PF_EXITING, PF_KTHREAD */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___parent {
	struct task_struct *real_parent;
	struct task_struct *group_leader;
};

struct task_struct___cpu {
	uint32_t cpu; /* the member before 5.16 */
};

#pragma clang attribute pop

/* The parent process, not a tracer that has adopted the thread. */
static INLINE_CORE struct task_struct *parent_of(struct task_struct *t)
{
	return ((struct task_struct___parent *)t)->real_parent;
}

INLINE uint64_t sonde_task_ppid(struct task_struct *t)
{
	return sonde_number_pid(parent_of(t));
}

INLINE uint64_t sonde_task_leader_tid(struct task_struct *t)
{
	return sonde_number_pid(t);
}

/* The process id in the initial pid namespace. */
INLINE_CORE uint64_t sonde_task_pid(struct task_struct *t)
{
	return t->tgid;
}

INLINE_CORE uint64_t sonde_task_tid(struct task_struct *t)
{
	return t->pid;
}

INLINE_CORE uint64_t sonde_task_uid(struct task_struct *t)
{
	return t->cred->uid.val;
}

/* Zero the bytes after the first NUL of a word. *ended is set if a NUL was found in this word or in
 * an earlier one. */
static INLINE uint64_t end_at_nul(uint64_t word, uint32_t *ended)
{
	uint64_t nul = (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;

	if (*ended)
		return 0;
	*ended = nul != 0;
	return nul ? word & (nul - 1) & ~nul : word;
}

/* The name of the thread, by two loads instead of a helper call (85 ns). The kernel leaves old
 * bytes after the NUL, which would make two map keys of one name, so they are zeroed. */
INLINE_CORE void sonde_task_comm(struct task_struct *t, uint64_t *comm)
{
	const uint64_t *from = (const uint64_t *)t->comm;
	uint32_t ended = 0;

	comm[0] = end_at_nul(from[0], &ended);
	comm[1] = end_at_nul(from[1], &ended);
}

INLINE_CORE void sonde_task_pcomm(struct task_struct *t, uint64_t *comm)
{
	sonde_task_comm(parent_of(t), comm);
}

INLINE_CORE void sonde_task_leader_comm(struct task_struct *t, uint64_t *comm)
{
	sonde_task_comm(((struct task_struct___parent *)t)->group_leader, comm);
}

INLINE_CORE uint64_t sonde_task_exec_id(struct task_struct *t)
{
	return (uint32_t)t->self_exec_id;
}

/* Does the thread have user memory? Kernel threads do not. A flag tells: if the program loaded a
 * pointer such as mm, the verifier would search the names of all kernel types for its type, which
 * takes 0.5 ms. */
INLINE_CORE uint32_t sonde_task_has_memory(struct task_struct *t)
{
	return !(t->flags & TASK_OF_KERNEL);
}

/* Is the thread exiting? Such a thread releases its memory before it is switched out for the last
 * time. */
INLINE_CORE uint32_t sonde_task_exits(struct task_struct *t)
{
	return (t->flags & TASK_EXITS) != 0;
}

INLINE_CORE uint64_t sonde_task_gid(struct task_struct *t)
{
	return t->cred->gid.val;
}

/* The CPU on which the thread runs, or ran last. */
INLINE_CORE uint64_t sonde_task_cpu(struct task_struct *t)
{
	struct task_struct___cpu *old = (void *)t;

	return bpf_core_field_exists(old->cpu) ? old->cpu : t->thread_info.cpu;
}

/* The id of the thread's cgroup of version 2. */
INLINE_CORE uint64_t sonde_task_cgroup(struct task_struct *t)
{
	return t->cgroups->dfl_cgrp->kn->id;
}

/* Process id and execve count of a thread, which identify an address space, in 64 bits. */
INLINE_CORE uint64_t sonde_task_space(struct task_struct *t)
{
	return t->tgid | (uint64_t)(uint32_t)t->self_exec_id << 32;
}
