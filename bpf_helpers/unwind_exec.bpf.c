/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Prepares unwind tables when a process executes a program. This is in a linked object, since LLVM
 * would take 2 ms for it at each start.
 */
#include "bpf_helpers/keep.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

/* At sched_process_exec, in a traced thread: ask user space to make the tables of the program while
 * it starts, and those of its libraries before they are mapped. Otherwise the first stack would ask
 * for them, and would be cut. */
GLOBAL uint32_t sonde_unwind_exec(uint32_t tgid, uint32_t exec_id)
{
	if (!sonde_unwind_has_program())
		sonde_ask(tgid, exec_id, 1);
	return 0;
}
