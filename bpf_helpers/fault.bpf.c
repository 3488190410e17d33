/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Brings in memory of the traced program that is not resident: never touched, or swapped out. A
 * sleepable program does this before its body, while it holds no resources. The rest of the program
 * runs in an RCU read-side critical section, as all of a non-sleepable program does, so that
 * clearing a map waits for it (docs/internals/uprobes.md).
 */
#include "bpf_helpers/helpers.h"

enum { FAULT_PAGE = SONDE_FAULT_PAGE }; /* larger pages may be touched twice */

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

/* `in_section`: the program is in an RCU section. It is constant after inlining, here and below. */
static INLINE void fault_page(uint64_t at, uint32_t in_section)
{
	char byte;

	if (at < FAULT_PAGE || !bpf_probe_read_user(&byte, 1, (const void *)at))
		return;
	if (in_section)
		sonde_fault_leave();
	bpf_copy_from_user(&byte, 1, (const void *)at);
	if (in_section)
		sonde_fault_enter();
}

/* Bring in the page of `from`. If it cannot be brought in, the read in the body fails and is
 * counted. */
INLINE void sonde_fault_first(uint64_t from, uint32_t in_section)
{
	fault_page(from, in_section);
}

/* Bring in the page that is `page` pages behind that of `from`, if some of the `size` bytes there
 * are in it. */
INLINE void sonde_fault_next(uint64_t from, uint32_t size, uint32_t page, uint32_t in_section)
{
	uint64_t at = from - from % FAULT_PAGE + (uint64_t)page * FAULT_PAGE;

	if (unlikely(at < from + size))
		fault_page(at, in_section);
}

/* Read what an address is computed from. What cannot be read is 0, and counted by the body. */
INLINE void sonde_fault_read(void *to, uint32_t size, uint64_t from, uint32_t in_section)
{
	if (!bpf_probe_read_user(to, size, (const void *)from))
		return;
	sonde_fault_first(from, in_section);
	sonde_fault_next(from, size, 1, in_section);
	bpf_probe_read_user(to, size, (const void *)from);
}
