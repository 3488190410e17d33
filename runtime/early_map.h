/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps made before the object is there; see session_prep.
 */
#pragma once
#include "session.h"

struct early_map {
	const char *name;
	int fd;
};

/* Create the large maps of the plan. What cannot be created is left to libbpf. */
void early_maps_create(struct session_prep *prep, const struct plan *plan);
/* Give them to an opened object. */
void early_maps_give(const struct session_prep *prep, struct bpf_object *object);
void early_maps_free(struct session_prep *prep);
