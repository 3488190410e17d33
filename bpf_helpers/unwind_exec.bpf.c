/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Asks user space for unwind tables, also when a process executes a program. This is in a linked
 * object, since LLVM would take 2 ms for it at each start.
 */
#include "bpf_helpers/keep.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

/* Something was not in the tables: should user space be asked to read the mappings of the process?
 * It is asked once a second, until it has read them. */
GLOBAL uint32_t sonde_unwind_must_ask(uint32_t tgid, uint32_t exec_id)
{
	uint32_t now = UNWIND_ASKED_NOW(bpf_ktime_get_ns());
	struct unwind_space fresh = {.exec_id = exec_id, .asked = now};
	struct unwind_space *space = bpf_map_lookup_elem(&sonde_unwind_spaces, &tgid);

	if (!space || !is_of(space, exec_id))
		return !bpf_map_update_elem(&sonde_unwind_spaces, &tgid, &fresh, BPF_ANY);
	if (space->asked == now)
		return 0;
	space->asked = now;
	return 1;
}

/* At sched_process_exec, in a traced thread: ask user space to make the tables of the program while
 * it starts, and those of its libraries before they are mapped. Otherwise the first stack would ask
 * for them, and would be cut. */
GLOBAL uint32_t sonde_unwind_exec(uint32_t tgid, uint32_t exec_id)
{
	if (!sonde_unwind_has_program())
		sonde_ask(tgid, exec_id, 1);
	return 0;
}
