/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * -k: reports a call of a BPF helper that failed, and its place in the script.
 */
#include "bpf_helpers/helpers.h"

/* `start` and `end` are the span in the script. */
INLINE void sonde_warn(int64_t result, uint32_t helper, uint32_t start, uint32_t end,
		       uint32_t probe)
{
	struct sonde_warning_event *ev = sonde_ring_reserve(probe, sizeof(*ev));

	if (!ev)
		return;
	ev->head.id = SONDE_EV_WARNING;
	ev->head.probe = probe;
	ev->helper = helper;
	ev->result = (int32_t)result;
	ev->start = start;
	ev->end = end;
	sonde_ring_submit(ev, sizeof(*ev));
}
