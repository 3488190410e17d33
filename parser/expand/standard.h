/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The macros of stdlib_scripts/macros/, as texts.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct standard_macro {
	const char *name;
	const char *text, *end;
};

extern const struct standard_macro standard_macros[];
extern const uint32_t n_standard_macros;

/* True if there is a standard macro of that name. */
bool standard_has(const char *name);
