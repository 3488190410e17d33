/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan needs of parser/lang/capabilities.def and the kernel lacks: asked once a load has
 * failed without a word of the verifier's.
 */
#pragma once
#include "runtime/kernel/capability_probe.h"

struct plan;

/* The first such row; NULL when there is none. `ask` is capability_probe(), but for tests. */
const struct capability_row *
missing_capability_find(const struct plan *plan, struct kernel *k,
			enum capability_state (*ask)(struct kernel *k, enum capability_id id));
