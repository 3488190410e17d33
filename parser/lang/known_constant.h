/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of C headers that scripts know without including them: the rows of c_constants.def,
 * errors and signals.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The value of the constant of that name. False: there is none. */
bool known_constant(const char *name, int64_t *value);
/* The row that is spelled most like it; NULL: none. */
const char *known_constant_nearest(const char *name);
