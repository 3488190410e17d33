/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of C headers that scripts know without including them: the rows of c_constants.def.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct known_constant {
	const char *name;
	int64_t value;
};

extern const struct known_constant known_constants[];
extern const uint32_t n_known_constants;

/* The constant of that name; NULL: there is none. */
const struct known_constant *known_constant_find(const char *name);
