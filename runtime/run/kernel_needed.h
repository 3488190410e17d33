/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which scripts run without the kernel, by the interpreter (runtime/interp/).
 */
#pragma once

struct plan;
struct plan_probe;
struct recorded_events;

/* The part of a script that only a kernel can do, as text, or NULL if there is none. `*probe` is
 * the probe with that part, or NULL. In a replay, tracepoints are possible. */
const char *kernel_needed(const struct plan *p, const struct recorded_events *all,
			  const struct plan_probe **probe);
