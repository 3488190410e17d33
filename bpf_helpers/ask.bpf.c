/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Requests of a walk over a user stack to user space.
 */
#include "bpf_helpers/helpers.h"

/* Ask user space to read the mappings of a process, by a struct sonde_unwind_event. If the ring is
 * full nothing is sent, and a later walk asks again. */
INLINE void sonde_ask(uint32_t tgid, uint32_t exec_id, uint64_t is_exec)
{
	struct sonde_unwind_event *ev = sonde_ring_try(sizeof(*ev));

	if (!ev)
		return;
	ev->head.id = SONDE_EV_UNWIND;
	ev->head.probe = 0;
	ev->tgid = tgid;
	ev->exec_id = exec_id;
	ev->is_exec = is_exec;
	sonde_ring_submit_urgent(ev, sizeof(*ev));
}
