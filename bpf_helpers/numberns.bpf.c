/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Process and thread ids in the tracer's pid namespace, when it is not the initial one: the ids
 * that the user of a container sees. A process outside of the namespace has none; its id is 0.
 */
#include "bpf_helpers/helpers.h"

enum { NS_LEVELS = 32 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	unsigned int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* level + 1 elements */
};

struct task_struct___ns {
	struct task_struct___ns *group_leader;
	struct pid *thread_pid;
};

#pragma clang attribute pop

struct number {
	uint64_t nr;
	struct pid_namespace *ns;
};

/* The numbers of a thread in the tracer's namespace. 0: it has none. */
static INLINE_CORE uint32_t entry_here(struct number *at, const char *numbers, uint32_t level)
{
	uint32_t inum;

#pragma clang loop unroll(disable)
	for (uint32_t i = 1; i < NS_LEVELS && i <= level; i++) {
		if (bpf_probe_read_kernel(at, sizeof(*at), numbers + i * sizeof(*at)) ||
		    bpf_probe_read_kernel(&inum, sizeof(inum), &at->ns->ns.inum))
			return 0;
		if (inum == sonde_config.pid_ns)
			return 1;
	}
	return 0;
}

static INLINE_CORE uint64_t number_here(const char *numbers, uint32_t level)
{
	struct number at;

	return entry_here(&at, numbers, level) ? (uint32_t)at.nr : 0;
}

INLINE_CORE uint64_t sonde_number_pid(struct task_struct *t)
{
	struct pid *pid = ((struct task_struct___ns *)t)->group_leader->thread_pid;

	return number_here((const char *)&pid->numbers, pid->level);
}

INLINE_CORE uint64_t sonde_number_tid(struct task_struct *t)
{
	struct pid *pid = ((struct task_struct___ns *)t)->thread_pid;

	return number_here((const char *)&pid->numbers, pid->level);
}

/* The process id of a thread that is given by its address. */
INLINE_CORE uint64_t sonde_number_pid_at(const struct task_struct *task)
{
	const struct task_struct___ns *t = (const void *)task;
	struct task_struct___ns *leader = 0;
	struct pid *pid = 0;
	uint32_t level = 0;

	if (bpf_core_read(&leader, sizeof(leader), &t->group_leader) ||
	    bpf_core_read(&pid, sizeof(pid), &leader->thread_pid) ||
	    bpf_core_read(&level, sizeof(level), &pid->level))
		return 0;
	return number_here((const char *)__builtin_preserve_access_index(&pid->numbers), level);
}

/* The tracer's namespace; 0 if the current thread is not in it. */
INLINE_CORE const void *sonde_number_namespace(void)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct pid *pid = ((struct task_struct___ns *)t)->thread_pid;
	struct number at;

	return entry_here(&at, (const char *)&pid->numbers, pid->level) ? at.ns : 0;
}
