/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Limits the time of loops in programs that keep a CPU from other work.
 */
#include "bpf_helpers/helpers.h"

/* Have the loops of this run taken more than SONDE_LOOP_NS? Call it when loop->left has run down.
 * It sets loop->left again, to a value that the verifier does not know: with a known value it would
 * follow each iteration. */
INLINE uint32_t sonde_loop_is_late(struct sonde_loop *loop)
{
	uint64_t now = bpf_ktime_get_ns();

	loop->left = SONDE_LOOP_CLOCK + (int64_t)sonde_control_zero();
	if (!loop->start_ns)
		loop->start_ns = now;
	return now - loop->start_ns > SONDE_LOOP_NS;
}
