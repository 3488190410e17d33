/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains a load that failed without a message of the verifier: the capability that the plan
 * requires and the kernel lacks.
 */
#pragma once
#include "parser/lang/kernel.h"

struct plan;

/* The first missing one; NULL when there is none. */
const struct capability_row *missing_capability_find(const struct plan *plan, struct kernel *k);
