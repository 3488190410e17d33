/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which scripts run without the kernel, by the interpreter (runtime/interp/).
 */
#pragma once
#include "parser/lang/prog_kind.h"

struct plan;
struct plan_probe;

/* What a source of events (runtime/session/event_source.h) has in place of the kernel. */
struct kernel_stand_in {
	bool (*runs)(enum plan_prog_kind kind); /* there are events for such programs */
	bool has_stacks, has_cgroups;
};

/* The part of a script that only a kernel can do, as text, or NULL if there is none. `*probe` is
 * the probe with that part, or NULL. `in` may be NULL. */
const char *kernel_needed(const struct plan *p, const struct kernel_stand_in *in,
			  const struct plan_probe **probe);
