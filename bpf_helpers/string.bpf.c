/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Strings in memory.
 */
#include "bpf.h"

/* Equal up to the first NUL, or over n bytes (n constant after inlining, at most LIMIT_STRING). */
INLINE uint32_t sonde_string_equal(const char *x, const char *y, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (x[i] != y[i])
			return 0;
		if (!x[i])
			return 1;
	}
	return 1;
}
