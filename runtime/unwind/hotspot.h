/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HotSpot, the virtual machine of Java: what a walk needs to find its frames, from the tables by
 * which libjvm describes itself to debuggers (gHotSpotVM*). The walk is in
 * bpf_helpers/unwind_run_hotspot.bpf.c.
 */
#pragma once
#include "bpf_helpers/unwind_hotspot.h"
#include "runtime/base/proc_maps.h"

/* Read the tables of process `tgid`, which has mapped its libjvm at `m`. Returns 0, -EAGAIN (it has
 * no code yet), -ENOTSUP (something is missing, or is not what is expected) or another -errno. */
int hotspot_read(uint32_t tgid, const struct proc_mapping *m, struct unwind_hotspot *out);
