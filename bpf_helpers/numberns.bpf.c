/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Process and thread ids in the tracer's pid namespace, when it is not the initial one: those that
 * the user of a container sees. Processes outside of the namespace have none: 0.
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
	int nr;
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

static INLINE_CORE uint64_t number_here(struct pid *pid)
{
	const char *numbers = (const char *)&pid->numbers;
	uint32_t level = pid->level, inum;
	struct {
		uint64_t nr;
		struct pid_namespace *ns;
	} at;

#pragma clang loop unroll(disable)
	for (uint32_t i = 1; i < NS_LEVELS && i <= level; i++) {
		if (bpf_probe_read_kernel(&at, sizeof(at), numbers + i * sizeof(at)) ||
		    bpf_probe_read_kernel(&inum, sizeof(inum), &at.ns->ns.inum))
			return 0;
		if (inum == sonde_config.pid_ns)
			return (uint32_t)at.nr;
	}
	return 0;
}

INLINE_CORE uint64_t sonde_number_pid(struct task_struct *t)
{
	return number_here(((struct task_struct___ns *)t)->group_leader->thread_pid);
}

INLINE_CORE uint64_t sonde_number_tid(struct task_struct *t)
{
	return number_here(((struct task_struct___ns *)t)->thread_pid);
}
