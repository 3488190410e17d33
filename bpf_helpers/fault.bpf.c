/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Memory of the traced program that is not there yet: what no one has touched, or was swapped out.
 * A program that may sleep brings it in before its body, while it holds nothing. All else that it
 * does is in an RCU section, as whole programs are that may not sleep: clearing a map waits for it
 * (docs/architecture.md, "Texts that are not in memory").
 */
#include "bpf_helpers/helpers.h"

enum { FAULT_PAGE = 4096 }; /* of larger pages some are asked for twice */

/* Functions of the kernel's, whose ids the runtime puts in. */
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

/* A text of `size` bytes at most is in two pages at most. What cannot be had is left to the read,
 * which counts it. */
INLINE void sonde_fault_text(uint64_t from, uint32_t size)
{
	uint64_t here = FAULT_PAGE - from % FAULT_PAGE;

	fault_page(from);
	if (unlikely(here < size))
		fault_page(from + here);
}
