/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Actions of a script on the current thread: signals, writes to its memory, and the like. The
 * kernel refuses some of them; each refusal is counted as a loss.
 */
#include "bpf_helpers/helpers.h"

INLINE void sonde_act_signal(uint32_t number, uint32_t probe)
{
	if (bpf_send_signal(number))
		sonde_loss_count(probe, SONDE_LOSS_SIGNAL);
}

INLINE void sonde_act_signal_thread(uint32_t number, uint32_t probe)
{
	if (bpf_send_signal_thread(number))
		sonde_loss_count(probe, SONDE_LOSS_SIGNAL);
}

/* Write `size` bytes to user memory. Returns 1 if all of them were written, else 0. */
INLINE uint64_t sonde_act_write(void *to, const void *from, uint32_t size, uint32_t probe)
{
	if (!bpf_probe_write_user(to, from, size))
		return 1;
	sonde_loss_count(probe, SONDE_LOSS_WRITE_FAULT);
	return 0;
}
