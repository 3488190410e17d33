/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Reading memory.
 */
#include "bpf_helpers/helpers.h"

/* Copy from kernel memory, or from a tracepoint's record, into a buffer on the stack. */
INLINE void sonde_memory_read(void *to, uint32_t size, const void *from)
{
	bpf_probe_read_kernel(to, size, from);
}

/* What cannot be read is filled with 0: one call for what would be a store each 8 bytes. */
INLINE void sonde_memory_zero(void *to, uint32_t size)
{
	bpf_probe_read_kernel(to, size, 0);
}

/* What a script reads through a pointer: 0 when there is nothing to read, and counted. */
INLINE void sonde_memory_kernel(void *to, uint32_t size, const void *from, uint32_t probe)
{
	if (unlikely(bpf_probe_read_kernel(to, size, from)))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
}

INLINE void sonde_memory_user(void *to, uint32_t size, const void *from, uint32_t probe)
{
	if (unlikely(bpf_probe_read_user(to, size, from)))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
}
