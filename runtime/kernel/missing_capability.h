/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan needs of parser/lang/capabilities.def and the kernel lacks: asked once a load has
 * failed without a word of the verifier's.
 */
#pragma once
#include "runtime/kernel/capability_probe.h"

struct plan;

/* The first such row; NULL when there is none. `ask` is need_ask(), but for tests. */
const struct need_row *lack_find(const struct plan *plan, struct kernel *k,
				 enum need_state (*ask)(struct kernel *k, enum need_id id));
