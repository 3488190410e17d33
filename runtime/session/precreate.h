/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps made before the object is there; see session_prep.
 */
#pragma once
#include "runtime/session/session.h"

struct precreated_map {
	const char *name;
	int fd;
	bool is_hash;
	uint32_t longest; /* bytes of its key or value */
};

/* Create the large maps of the plan. What cannot be created is left to libbpf. */
void precreate_maps(struct session_prep *prep, const struct plan *plan);
/* Free elements for the first keys of the hashes. */
void precreate_warm_up(const struct session_prep *prep, uint32_t n_cpus);
/* Give them to an opened object. */
void precreate_hand_over(const struct session_prep *prep, struct bpf_object *object);
void precreate_free(struct session_prep *prep);
