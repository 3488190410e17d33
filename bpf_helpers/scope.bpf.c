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

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct cfs_rq___queue {
	char *rq;
};

struct task_struct___queue {
	struct {
		struct cfs_rq___queue *cfs_rq;
	} se;
};

struct thread_info___count {
	unsigned long preempt_count; /* arm64 */
};

#pragma clang attribute pop

/* The count of this CPU. On x86-64 it is a per-CPU variable, as is the run queue to which the
 * current thread points. 0 if it is not known where it is. */
static INLINE_CORE uint32_t preempt_count(struct task_struct *current)
{
	uint32_t count = 0;

#ifdef SONDE_TARGET_x86
	struct task_struct___queue *queued = (void *)current;

	if (sonde_config.preempt_count)
		bpf_probe_read_kernel(&count, sizeof(count),
				      queued->se.cfs_rq->rq + sonde_config.preempt_count);
#else
	count = (uint32_t)((struct thread_info___count *)&current->thread_info)->preempt_count;
#endif
	return count;
}

/* Bits of the preempt count: 8, a softirq is served; 16 to 19, interrupts; 20 to 23, NMIs. Each NMI
 * counts as an interrupt, too, and so does the breakpoint of a kprobe on x86-64. */
static INLINE_CORE uint32_t is_in_interrupt(struct task_struct *current)
{
	uint32_t count = preempt_count(current);

	return (count & 0x100) || (count >> 16 & 15) > (count >> 20 & 15);
}

/* Is an event traced that is not about one thread? In an interrupt the current thread is that which
 * was interrupted. If this is the tracer, the event is not its own. */
INLINE_CORE uint32_t sonde_scope_event(struct task_struct *current)
{
	return sonde_scope_current(current) ||
	       (sonde_config.scope == SONDE_SCOPE_ALL && is_in_interrupt(current));
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
