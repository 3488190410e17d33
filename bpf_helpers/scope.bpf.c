/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Scope: which threads are traced. The configuration is constant when the program is loaded, so the
 * verifier removes the branches that do not apply. A -c command's descendants carry a flag in task
 * storage: it ends with the thread, nothing has to be cleaned up and no pid can be reused wrongly.
 */
#include "helpers.h"

struct {
	__uint(type, MAP_TYPE_TASK_STORAGE);
	__uint(max_entries, 0);
	__uint(map_flags, NO_PREALLOC);
	__type(key, int);
	__type(value, uint32_t);
} sonde_scopes SEC(".maps");

static INLINE uint32_t in_scope(uint32_t tgid, struct task_struct *task)
{
	if (sonde_config.scope == SONDE_SCOPE_ALL)
		return tgid != sonde_config.self_tgid;
	if (sonde_config.scope == SONDE_SCOPE_PID)
		return tgid == sonde_config.scope_tgid;
	return bpf_task_storage_get(&sonde_scopes, task, 0, 0) != 0;
}

INLINE uint32_t sonde_scope_current(void)
{
	return in_scope(bpf_get_current_pid_tgid() >> 32, bpf_get_current_task_btf());
}

/* At sched_process_fork: what a traced thread creates is traced. */
INLINE void sonde_scope_fork(struct task_struct *parent, struct task_struct *child)
{
	if (!bpf_task_storage_get(&sonde_scopes, parent, 0, 0))
		return;
	if (!bpf_task_storage_get(&sonde_scopes, child, 0, STORAGE_CREATE))
		sonde_loss_count(0, SONDE_LOSS_TASK_STORAGE);
}

/* At sched_process_exec: the command begins here; before, it was the tracer's own child. */
INLINE void sonde_scope_exec(struct task_struct *task)
{
	if (sonde_task_pid(task) != sonde_config.scope_tgid)
		return;
	if (!bpf_task_storage_get(&sonde_scopes, task, 0, STORAGE_CREATE))
		sonde_loss_count(0, SONDE_LOSS_TASK_STORAGE);
}
