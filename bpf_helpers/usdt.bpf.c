/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Arguments of USDT probes that are in memory.
 */
#include "bpf_helpers/helpers.h"

/* `size` bytes, 8 at most, of the traced program; no more, a page may end there. 0 and counted when
 * they cannot be read. */
INLINE uint64_t sonde_usdt_read(const void *from, uint32_t size, uint32_t probe)
{
	uint64_t value = 0;

	if (unlikely(bpf_probe_read_user(&value, size, from)))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	return value;
}
