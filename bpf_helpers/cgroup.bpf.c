/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * --cgroup: is a thread in that cgroup of version 2, or in one below? Mostly one level is asked
 * about; in a cgroup namespace nobody knows which.
 */
#include "bpf_helpers/helpers.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct cgroup___deep {
	int level;
	struct kernfs_node *kn;
	struct cgroup___deep *ancestors[1]; /* really level + 1; since 6.1 */
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

/* A thread that is not the current one. */
INLINE_CORE uint32_t sonde_cgroup_has(struct task_struct *t)
{
	struct cgroup___deep *own = ((struct css_set___deep *)t->cgroups)->dfl_cgrp, *c;
	const char *ancestors = (const char *)&own->ancestors;
	struct kernfs_node *kn;
	int level = own->level;
	uint64_t id;

#pragma clang loop unroll(disable)
	for (uint32_t i = sonde_config.cgroup_first; i <= sonde_config.cgroup_last; i++) {
		if ((int)i > level ||
		    bpf_probe_read_kernel(&c, sizeof(c), ancestors + i * sizeof(c)) ||
		    bpf_probe_read_kernel(&kn, sizeof(kn), &c->kn) ||
		    bpf_probe_read_kernel(&id, sizeof(id), &kn->id))
			return 0;
		if (id == sonde_config.cgroup_id)
			return 1;
	}
	return 0;
}
