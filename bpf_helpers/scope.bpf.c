/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Scope: which threads are traced. The configuration is constant when the program is loaded, so the
 * verifier removes the branches that do not apply. A -c command's descendants carry a flag in task
 * storage: it ends with the thread, nothing has to be cleaned up and no pid can be reused wrongly.
 */
#include "bpf_helpers/helpers.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(max_entries, 0);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, uint32_t);
} sonde_scopes SEC(".maps");

/* Is a thread traced? Its cgroup apart, which is tested before (cgroup.bpf.c). */
INLINE uint32_t sonde_scope_current(struct task_struct *task)
{
	if (sonde_config.scope == SONDE_SCOPE_FOLLOW &&
	    sonde_number_pid(task) == sonde_config.scope_tgid)
		return 1;
	if (sonde_config.scope >= SONDE_SCOPE_TREE)
		return bpf_task_storage_get(&sonde_scopes, task, 0, 0) != 0;
	if (sonde_config.scope == SONDE_SCOPE_PID)
		return sonde_number_pid(task) == sonde_config.scope_tgid;
	return sonde_number_pid(task) != sonde_config.self_tgid;
}

/* May a thread that is not the current one be traced? Only what its pid tells; who asks has its
 * state in task storage to be sure. */
INLINE uint32_t sonde_scope_may_have(struct task_struct *task)
{
	if (sonde_config.scope != SONDE_SCOPE_PID)
		return 1;
	return sonde_number_pid(task) == sonde_config.scope_tgid;
}

/* At sched_process_fork: what a traced thread creates is traced. */
INLINE void sonde_scope_fork(struct task_struct *parent, struct task_struct *child)
{
	uint32_t is_root = sonde_config.scope == SONDE_SCOPE_FOLLOW &&
			   sonde_number_pid(parent) == sonde_config.scope_tgid;

	if (!is_root && !bpf_task_storage_get(&sonde_scopes, parent, 0, 0))
		return;
	if (!bpf_task_storage_get(&sonde_scopes, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		sonde_loss_count(0, SONDE_LOSS_TASK_STORAGE);
}

/* At sched_process_exec: the command begins here; before, it was the tracer's own child. */
INLINE void sonde_scope_exec(struct task_struct *task)
{
	if (sonde_number_pid(task) != sonde_config.scope_tgid)
		return;
	if (!bpf_task_storage_get(&sonde_scopes, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		sonde_loss_count(0, SONDE_LOSS_TASK_STORAGE);
}
