/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that change nothing in the output of a script.
 */
#pragma once
#include "cli/options/options.h"

struct plan;

/* Warn about each. */
void no_effect_warn(const struct options *o, const struct plan *plan);
