/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Brings in memory of the traced program that is not resident: never touched, or swapped out. A
 * sleepable program does this before its body, while it holds no resources. The rest of the program
 * runs in an RCU read-side critical section, as all of a non-sleepable program does, so that
 * clearing a map waits for it (docs/internals/uprobes.md).
 */
#include "bpf_helpers/helpers.h"

enum { FAULT_PAGE = 4096 }; /* larger pages may be touched twice */

/* Kernel functions, to which the runtime relocates the calls by BTF id. */
INLINE void sonde_fault_enter(void)
{
	void (*lock)(void) = (void *)SONDE_KFUNC_RCU_READ_LOCK;

	lock();
}

INLINE void sonde_fault_leave(void)
{
	void (*unlock)(void) = (void *)SONDE_KFUNC_RCU_READ_UNLOCK;

	unlock();
}

static INLINE void fault_page(uint64_t at)
{
	char byte;

	if (at < FAULT_PAGE || !bpf_probe_read_user(&byte, 1, (const void *)at))
		return;
	sonde_fault_leave();
	bpf_copy_from_user(&byte, 1, (const void *)at);
	sonde_fault_enter();
}

/* A string of `size` bytes spans at most two pages. If a page cannot be brought in, the read in the
 * body fails and is counted. */
INLINE void sonde_fault_text(uint64_t from, uint32_t size)
{
	uint64_t here = FAULT_PAGE - from % FAULT_PAGE;

	fault_page(from);
	if (unlikely(here < size))
		fault_page(from + here);
}
