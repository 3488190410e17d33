/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Properties of a thread given by the address of its struct task_struct, which the verifier does
 * not know as a pointer: a helper reads them. A property that cannot be read is 0, or an empty
 * name.
 */
#include "bpf_helpers/helpers.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___at {
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	char comm[16];
};

#pragma clang attribute pop

static INLINE_CORE struct task_struct *parent_at(const struct task_struct___at *t)
{
	struct task_struct *parent = 0;

	bpf_core_read(&parent, sizeof(parent), &t->real_parent);
	return parent;
}

static INLINE_CORE struct task_struct *leader_at(const struct task_struct___at *t)
{
	struct task_struct *leader = 0;

	bpf_core_read(&leader, sizeof(leader), &t->group_leader);
	return leader;
}

/* The name of a thread. The helper writes zeros after it. */
static INLINE_CORE void comm_at(const struct task_struct *task, uint64_t *comm)
{
	const struct task_struct___at *t = (const void *)task;

	comm[0] = comm[1] = 0;
	bpf_probe_read_kernel_str(comm, 16, &t->comm);
}

INLINE uint64_t sonde_task_at_ppid(const struct task_struct *t)
{
	return sonde_number_pid_at(parent_at((const void *)t));
}

INLINE uint64_t sonde_task_at_leader_tid(const struct task_struct *t)
{
	return sonde_number_pid_at(t);
}

INLINE void sonde_task_at_pcomm(const struct task_struct *t, uint64_t *comm)
{
	comm_at(parent_at((const void *)t), comm);
}

INLINE void sonde_task_at_leader_comm(const struct task_struct *t, uint64_t *comm)
{
	comm_at(leader_at((const void *)t), comm);
}
