/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Reading memory.
 */
#include "helpers.h"

/* Copy from kernel memory, or from a tracepoint's record, into a buffer on the stack. */
INLINE void sonde_memory_read(void *to, uint32_t size, const void *from)
{
	bpf_probe_read_kernel(to, size, from);
}
