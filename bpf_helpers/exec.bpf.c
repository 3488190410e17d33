/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * At sched_process_exec: ask for the unwind tables of a traced process's new program.
 */
#include "bpf_helpers/helpers.h"

INLINE void sonde_exec_ask(struct task_struct *task)
{
	if (sonde_config.unwinds && sonde_scope_current(task))
		sonde_unwind_exec(sonde_number_pid(task), sonde_task_exec_id(task));
}
