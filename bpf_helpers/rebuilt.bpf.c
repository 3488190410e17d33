/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Fields of tracepoint records, rebuilt from the raw tracepoint's typed arguments: the rows of
 * parser/lang/rebuilt.def. The values are those that tracefs shows (include/trace/events/sched.h).
 */
#include "bpf_helpers/helpers.h"

enum {
	STATE_REPORTED = 0x7f,
	REPORT_IDLE = 0x80,
	REPORT_MAX = 0x100,
	TASK_IDLE = 0x402,
	TASK_RTLOCK = 0x1000,
	TASK_UNINTERRUPTIBLE = 2
};

/* The state as task_state_index() of the kernel reports it: the highest reported bit; the states of
 * idle threads and of RT lock waits are mapped to others. */
static INLINE_CORE uint64_t reported_state(uint32_t state, struct task_struct *t)
{
	uint32_t reported = (state | t->exit_state) & STATE_REPORTED;

	if ((state & TASK_IDLE) == TASK_IDLE)
		reported = REPORT_IDLE;
	if (state & TASK_RTLOCK)
		reported = TASK_UNINTERRUPTIBLE;
	if (!reported)
		return 0;
	return 1u << (31 - __builtin_clz(reported));
}

/* The field prev_state, as __trace_sched_switch_state() computes it: preempted threads, which are
 * still runnable, have the bit above all others. */
INLINE_CORE uint64_t sonde_rebuilt_prev_state(struct switch_args *c)
{
	return c->preempt & 1 ? REPORT_MAX : reported_state((uint32_t)c->prev_state, c->prev);
}

INLINE_CORE uint64_t sonde_rebuilt_task_pid(struct task_struct *t)
{
	return (uint64_t)(int64_t)(int32_t)t->pid;
}

INLINE_CORE uint64_t sonde_rebuilt_task_prio(struct task_struct *t)
{
	return (uint64_t)(int64_t)(int32_t)t->prio;
}

/* The same for a thread that is off the CPU. If it waits for a CPU, it may have been preempted, or
 * woken. */
INLINE_CORE uint64_t sonde_rebuilt_task_state(struct task_struct *t)
{
	return reported_state(t->__state, t);
}

/* The arguments of sys_enter(regs, number) and sys_exit(regs, result). */
struct syscall_args {
	struct pt_regs *regs;
	uint64_t value;
};

/* The same from the record of raw_syscalls:sys_enter (number, arguments) or sys_exit (number,
 * result), which follow the 8 bytes of common fields. */
INLINE_CORE void sonde_syscall_words(uint64_t *record, struct syscall_args *c, uint32_t is_exit)
{
	c->regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	c->value = is_exit ? record[2] : record[1];
}

INLINE uint64_t sonde_rebuilt_value(struct syscall_args *c)
{
	return c->value;
}

INLINE uint64_t sonde_rebuilt_exit_id(struct syscall_args *c)
{
	return sonde_syscall_number(c->regs);
}
