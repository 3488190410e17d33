/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Scope: which threads are traced. The configuration is constant at load time, so the verifier
 * removes the branches that do not apply. Descendants of a -c command have a flag in task storage.
 * The kernel frees it with the thread, so nothing has to be cleaned up, and a process that reuses
 * the pid does not inherit it.
 */
#include "bpf_helpers/helpers.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(max_entries, 0);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, uint32_t);
} sonde_scopes SEC(".maps");

/* Is a thread traced? Its cgroup is tested separately and earlier (cgroup.bpf.c). */
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

/* Can a thread that is not the current one be traced? This is decided by pid only; to be sure, the
 * caller looks for the thread's state in task storage. */
INLINE uint32_t sonde_scope_may_have(struct task_struct *task)
{
	if (sonde_config.scope != SONDE_SCOPE_PID)
		return 1;
	return sonde_number_pid(task) == sonde_config.scope_tgid;
}

/* At sched_process_fork: a traced thread's children are traced. */
INLINE void sonde_scope_fork(struct task_struct *parent, struct task_struct *child)
{
	uint32_t is_root = sonde_config.scope == SONDE_SCOPE_FOLLOW &&
			   sonde_number_pid(parent) == sonde_config.scope_tgid;

	if (!is_root && !bpf_task_storage_get(&sonde_scopes, parent, 0, 0))
		return;
	if (!bpf_task_storage_get(&sonde_scopes, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		sonde_loss_count(0, SONDE_LOSS_SCOPE);
}

/* At sched_process_exec: tracing of the command begins. Until then the process was a child of the
 * tracer that only prepared the command. */
INLINE void sonde_scope_exec(struct task_struct *task)
{
	if (sonde_config.scope != SONDE_SCOPE_TREE ||
	    sonde_number_pid(task) != sonde_config.scope_tgid)
		return;
	if (!bpf_task_storage_get(&sonde_scopes, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		sonde_loss_count(0, SONDE_LOSS_SCOPE);
}
