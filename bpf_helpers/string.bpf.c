/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Comparison and length of strings, which are always aligned to 8 bytes. They are walked by words
 * with one branch each, since the verifier remembers the other side of each branch until it has
 * walked this side to its end, and at most 8192 of them.
 */
#include "bpf_helpers/helpers.h"

#define ONES 0x0101010101010101ull

/* Bit 7 of the word's first zero byte, and perhaps of later bytes. 0 if no byte is zero. */
static INLINE uint64_t zero_byte(uint64_t word)
{
	return (word - ONES) & ~word & ONES << 7;
}

static INLINE uint64_t word_at(const char *s, uint32_t i)
{
	return *(const volatile uint64_t *)(s + i);
}

/* Are x and y equal up to the first NUL, or over n bytes? n is constant after inlining. */
INLINE uint32_t sonde_string_equal(const char *x, const char *y, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t a = word_at(x, i), differ = a ^ word_at(y, i), end = zero_byte(a);

		if (differ | end) {
			end &= -end; /* the whole word if it has no NUL */
			return (differ & (end | (end - 1))) == 0;
		}
	}
	for (; i < n; i++) {
		if (x[i] != y[i])
			return 0;
		if (!x[i])
			return 1;
	}
	return 1;
}

static INLINE uint32_t length(const char *s, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t end = zero_byte(word_at(s, i));

		if (end) /* count the bytes below it */
			return i + (uint32_t)(((((end & -end) >> 7) - 1) & ONES) * ONES >> 56);
	}
	while (i < n && s[i])
		i++;
	return i;
}

/* Bytes before the first NUL, n if there is none. The XOR hides the value from the verifier, which
 * would otherwise walk the rest once for each possible length. */
INLINE uint64_t sonde_string_length(const char *s, uint32_t n)
{
	return length(s, n) ^ sonde_control.zero;
}
