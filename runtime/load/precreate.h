/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps created before the object exists (struct session_prep).
 */
#pragma once
#include "runtime/session/session.h"
#include "runtime/session/prep.h"

struct precreated_map {
	const char *name;
	int fd;
	bool is_hash;
	uint32_t longest; /* bytes of its key or value */
};

/* Create the large maps of the plan. libbpf creates those that fail here. */
void precreate_maps(struct session_prep *prep, const struct plan *plan);
/* Fill the free lists of the hashes (map_warmup.c). */
void precreate_warm_up(const struct session_prep *prep, uint32_t n_cpus);
/* Pass the maps to an opened object. libbpf replaces those whose definition differs. */
void precreate_hand_over(const struct session_prep *prep, struct bpf_object *object);
void precreate_free(struct session_prep *prep);

/* map_warmup.c: fill the per-CPU lists of free elements of hashes, for keys that are added where
 * memory cannot be allocated. */
/* `maps`: descriptors of n hashes that are not used yet; `bytes`: of the longest key or value. */
void map_warmup(const int *maps, uint32_t n, uint32_t bytes, uint32_t n_cpus);
