/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Floating-point numbers as integers, by their bits: BPF has no instructions for them. The formats
 * are those of IEEE 754; `long double` is the 80-bit format of x87 on x86-64, and has 128 bits on
 * arm64.
 */
#include "bpf_helpers/helpers.h"

#define LOW 0xffffffffull	      /* half of a word */
#define GREATEST 0x7fffffffffffffffll /* of int64 */

/* A number: mantissa * 2^exponent, with at most `bits` bits in the mantissa. */
struct real {
	uint64_t mantissa;
	int32_t exponent, bits;
	uint32_t is_negative, is_infinite, is_nan;
};

/* `biased`: the exponent as it is stored, of which `most` is that of infinities; `bias`: what is
 * subtracted; `top`: the bit of the mantissa that is 1 in all normal numbers, stored or not. */
INLINE void real_set(struct real *r, uint64_t mantissa, uint32_t biased, uint32_t most,
		     int32_t bias, uint64_t top)
{
	r->is_infinite = biased == most && !(mantissa & ~top);
	r->is_nan = biased == most && (mantissa & ~top);
	r->mantissa = biased ? mantissa | top : mantissa;
	r->exponent = (int32_t)(biased ? biased : 1) - bias;
}

INLINE void real_read(struct real *r, const void *at, uint32_t size)
{
	uint64_t low = size == 4 ? *(const uint32_t *)at : *(const uint64_t *)at, high;

	if (size == 4) {
		r->bits = 24;
		r->is_negative = low >> 31;
		real_set(r, low & 0x7fffff, low >> 23 & 0xff, 0xff, 127 + 23, 1u << 23);
	} else if (size == 8) {
		r->bits = 53;
		r->is_negative = low >> 63;
		real_set(r, low & ((1ull << 52) - 1), low >> 52 & 0x7ff, 0x7ff, 1023 + 52,
			 1ull << 52);
	} else {
		high = ((const uint64_t *)at)[1];
		r->bits = 64;
#ifdef SONDE_TARGET_arm64
		r->is_negative = high >> 63;
		low = (high << 16 >> 1) | low >> 49;
		real_set(r, low, high >> 48 & 0x7fff, 0x7fff, 16383 + 63, 1ull << 63);
#else
		r->is_negative = high >> 15 & 1;
		real_set(r, low, high & 0x7fff, 0x7fff, 16383 + 63, 1ull << 63);
#endif
	}
}

/* The upper `bits` bits of `high`, whose top bit is 1, rounded to the nearest, of two to the even
 * one; `low`: are there bits below `high`? */
INLINE uint64_t real_round(uint64_t high, uint64_t low, uint32_t bits)
{
	uint64_t below = bits < 64 ? high << bits : low, half = 1ull << 63;
	uint64_t kept = high >> (64 - bits), rest = bits < 64 ? low : 0;

	return kept + (below > half || (below == half && (rest || kept & 1)));
}

/* n, which is not 0, as a number with that many bits. */
INLINE uint64_t real_factor(uint64_t n, uint32_t bits)
{
	uint32_t shift = __builtin_clzll(n);

	return 64 - bits > shift ? real_round(n << shift, 0, bits) << (64 - bits - shift) : n;
}

/* r times n, rounded as C rounds it. n is not 0. */
INLINE void real_multiply(struct real *r, uint64_t n)
{
	uint64_t a = r->mantissa >> 32, b = r->mantissa & LOW, c = n >> 32, d = n & LOW;
	uint64_t middle = (b * d >> 32) + (a * d & LOW) + (b * c & LOW);
	uint64_t low = (b * d & LOW) | middle << 32;
	uint64_t high = a * c + (a * d >> 32) + (b * c >> 32) + (middle >> 32);
	uint32_t shift;

	r->exponent += 64;
	if (!high) {
		high = low;
		low = 0;
		r->exponent -= 64;
	}
	if (!high) {
		r->mantissa = 0;
		return;
	}
	shift = __builtin_clzll(high);
	if (shift)
		high = high << shift | low >> (64 - shift);
	low <<= shift;
	r->mantissa = real_round(high, low, r->bits);
	r->exponent += 64 - r->bits - (int32_t)shift;
	if (!r->mantissa) { /* 64 bits have overflown */
		r->mantissa = 1ull << 63;
		r->exponent++;
	}
}

/* The integral part of the number at `at` times the factor. Beyond the range of int64 it is its
 * greatest or least value; of what is not a number it is 0. */
INLINE int64_t sonde_float_scaled(const void *at, uint32_t size, int64_t factor)
{
	struct real r;
	uint64_t n;

	real_read(&r, at, size);
	r.is_negative ^= factor < 0;
	n = factor < 0 ? -(uint64_t)factor : (uint64_t)factor;
	if (r.is_nan || !n)
		return 0;
	real_multiply(&r, real_factor(n, r.bits));
	if (r.is_infinite || r.exponent > 63 ||
	    (r.exponent >= 0 && r.mantissa >> (63 - r.exponent)))
		return r.is_negative ? -GREATEST - 1 : GREATEST;
	n = r.exponent >= 0    ? r.mantissa << r.exponent
	    : r.exponent > -64 ? r.mantissa >> -r.exponent
			       : 0;
	return r.is_negative ? -(int64_t)n : (int64_t)n;
}
