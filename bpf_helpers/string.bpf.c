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

/* Bytes before the first NUL, n if there is none. */
INLINE uint64_t sonde_string_length(const char *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!s[i])
			return i;
	return n;
}
