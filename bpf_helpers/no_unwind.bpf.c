/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Linked instead of unwind*.bpf.c where user stacks are walked by frame pointers only
 * (bpf_get_stack): before 5.17, and for ustack(fp). These functions
 * are never called.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

GLOBAL uint64_t sonde_unwind_walk(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id,
				  uint32_t limit, uint32_t sweeps)
{
	return w && tgid && exec_id && limit && sweeps ? 0 : 0;
}

GLOBAL uint64_t sonde_unwind_learn(struct sonde_walk *w, uint64_t hash)
{
	return w && hash ? 0 : 0;
}

GLOBAL uint32_t sonde_unwind_exec(uint32_t tgid, uint32_t exec_id)
{
	return tgid && exec_id ? 0 : 0;
}
