/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a plan that was read from a file fit together? Private to plan_file*.c.
 */
#pragma once
#include <stdbool.h>

struct plan;

/* False if the runtime could not work by it. */
bool plan_file_check(const struct plan *p);
