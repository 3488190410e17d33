/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * --cgroup: is a thread in the given cgroup (version 2) or in one below it? Usually the level of
 * that cgroup in the tree is known, so only the thread's ancestor at this level is compared. In a
 * cgroup namespace the level is not known, so all ancestors are.
 */
#include "bpf_helpers/helpers.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct cgroup___deep {
	unsigned int level;
	struct kernfs_node *kn;
	struct cgroup___deep *ancestors[1]; /* level + 1 elements; since 6.1 */
};

struct css_set___deep {
	struct cgroup___deep *dfl_cgrp;
};

#pragma clang attribute pop

INLINE uint32_t sonde_cgroup_current(void)
{
#pragma clang loop unroll(disable)
	for (uint32_t i = sonde_config.cgroup_first; i <= sonde_config.cgroup_last; i++)
		if (bpf_get_current_ancestor_cgroup_id((int)i) == sonde_config.cgroup_id)
			return 1;
	return 0;
}

/* Test a thread that is not the current one. */
INLINE_CORE uint32_t sonde_cgroup_has(struct task_struct *t)
{
	struct cgroup___deep *from = ((struct css_set___deep *)t->cgroups)->dfl_cgrp, *c;
	const char *ancestors = (const char *)&from->ancestors;
	struct kernfs_node *kn;
	uint32_t level = from->level;
	uint64_t id;

#pragma clang loop unroll(disable)
	for (uint32_t i = sonde_config.cgroup_first; i <= sonde_config.cgroup_last; i++) {
		if (i > level || bpf_probe_read_kernel(&c, sizeof(c), ancestors + i * sizeof(c)) ||
		    bpf_probe_read_kernel(&kn, sizeof(kn), &c->kn) ||
		    bpf_probe_read_kernel(&id, sizeof(id), &kn->id))
			return 0;
		if (id == sonde_config.cgroup_id)
			return 1;
	}
	return 0;
}
