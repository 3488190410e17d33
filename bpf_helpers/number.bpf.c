/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Process and thread ids in the initial pid namespace. A tracer in another namespace links
 * numberns.bpf.c instead.
 */
#include "bpf_helpers/helpers.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pid_namespace;

struct upid {
	struct pid_namespace *ns;
};

struct pid {
	struct upid numbers[1];
};

struct task_struct___ns {
	struct pid *thread_pid;
};

#pragma clang attribute pop

INLINE_CORE uint64_t sonde_number_pid(struct task_struct *t)
{
	return t->tgid;
}

INLINE_CORE uint64_t sonde_number_tid(struct task_struct *t)
{
	return t->pid;
}

/* The process id of a thread that is given by its address. */
INLINE_CORE uint64_t sonde_number_pid_at(const struct task_struct *t)
{
	uint32_t tgid = 0;

	bpf_core_read(&tgid, sizeof(tgid), &t->tgid);
	return tgid;
}

/* The tracer's namespace. Every thread has a number in the initial one. */
INLINE_CORE const void *sonde_number_namespace(void)
{
	struct task_struct *t = bpf_get_current_task_btf();

	return ((struct task_struct___ns *)t)->thread_pid->numbers[0].ns;
}
