/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * USDT arguments that are in memory.
 */
#include "bpf_helpers/helpers.h"

/* Read `size` bytes, 8 at most, of the traced program. No more is read, since a page may end there.
 * A failed read gives 0 and is counted. Returns 0, or the error. */
INLINE int64_t sonde_usdt_read(uint64_t *to, const void *from, uint32_t size, uint32_t probe)
{
	int64_t err;

	*to = 0;
	err = bpf_probe_read_user(to, size, from);
	if (unlikely(err))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	return err;
}
