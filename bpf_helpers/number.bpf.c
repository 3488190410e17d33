/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Process and thread ids in the initial pid namespace. A tracer in another namespace links
 * numberns.bpf.c instead.
 */
#include "bpf_helpers/helpers.h"

INLINE_CORE uint64_t sonde_number_pid(struct task_struct *t)
{
	return (uint32_t)t->tgid;
}

INLINE_CORE uint64_t sonde_number_tid(struct task_struct *t)
{
	return (uint32_t)t->pid;
}
