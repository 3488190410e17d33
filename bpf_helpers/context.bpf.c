/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What the kernel does: the builtin `context`, found by the functions on the kernel stack
 * (reason_stack.bpf.c).
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/stack.h"

/* Eight bytes of a string, as a number. */
#define EIGHT(a, b, c, d, e, f, g, h)                                                     \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | \
	 (uint64_t)(e) << 32 | (uint64_t)(f) << 40 | (uint64_t)(g) << 48 | (uint64_t)(h) << 56)

/* Write the word to a string of 16 bytes. A stack that cannot be taken is counted as lost. */
INLINE void sonde_context_name(void *ctx, uint32_t probe, uint64_t *name)
{
	struct sonde_stack_buffer buffer;
	uint64_t found = SONDE_CONTEXT_thread;

	if (sonde_stack_take(&buffer, probe)) {
		if (bpf_get_stack(ctx, buffer.ips, SONDE_MAX_FRAMES * 8, 0) > 0)
			found = sonde_context_find(buffer.slot);
		sonde_stack_give(&buffer);
	}
	name[0] = EIGHT('t', 'h', 'r', 'e', 'a', 'd', 0, 0);
	name[1] = 0;
	if (found == SONDE_CONTEXT_timer)
		name[0] = EIGHT('t', 'i', 'm', 'e', 'r', 0, 0, 0);
	if (found == SONDE_CONTEXT_softirq)
		name[0] = EIGHT('s', 'o', 'f', 't', 'i', 'r', 'q', 0);
	if (found == SONDE_CONTEXT_interrupt) {
		name[0] = EIGHT('i', 'n', 't', 'e', 'r', 'r', 'u', 'p');
		name[1] = 't';
	}
}
