/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What a program that begins needs for its stacks. It is linked, as LLVM would take 2 ms for it at
 * each start.
 */
#include "bpf_helpers/keep.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

/* At sched_process_exec, in a traced thread: have user space make the tables of the program while
 * it starts, and of the libraries that it needs before they are mapped. Otherwise the first stack
 * asks for them, and is cut. */
GLOBAL uint32_t sonde_unwind_exec(uint32_t tgid, uint32_t exec_id)
{
	if (!sonde_unwind_has_program())
		sonde_ask(tgid, exec_id, 1);
	return 0;
}
