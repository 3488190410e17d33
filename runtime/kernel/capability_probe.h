/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes the running kernel for each row of parser/lang/capabilities.def.
 */
#pragma once
#include "parser/lang/kernel.h"

/* Probe for `id`, which is not CAP_NONE, without a cache: callers use kernel_capability(). Loads
 * and attaches nothing that outlives the call. */
enum capability_state capability_probe(struct kernel *k, enum capability_id id);
