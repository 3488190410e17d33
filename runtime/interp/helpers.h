/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations of the helpers in helpers.def. Each gets the registers r1 to r5 and sets *result,
 * which becomes r0. Returns 0, or -EFAULT after a fault that ends the run.
 */
#pragma once
#include "runtime/interp/interp_impl.h"

typedef int interp_helper_fn(struct interp *p, const uint64_t r[5], uint64_t *result);
#define HELPER(name) interp_helper_fn help_##name;
#include "runtime/interp/helpers.def"
#undef HELPER
