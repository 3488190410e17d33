/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What programs that begin need for their stacks.
 */
#include "bpf_helpers/helpers.h"

/* At sched_process_exec, in a traced thread: have user space make the tables of the program while
 * it starts, and of the libraries that it needs before they are mapped. Otherwise the first stack
 * asks for them, and is cut. */
INLINE void sonde_exec_ask(struct task_struct *task)
{
	if (sonde_config.unwinds && sonde_scope_current(task) && !sonde_unwind_has_program())
		sonde_ask(sonde_number_pid(task), sonde_task_exec_id(task), 1);
}
