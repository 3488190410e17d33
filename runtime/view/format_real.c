/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats floating-point numbers: with as few digits as give the same number when they are read, or
 * as a conversion of printf asks.
 */
#include "parser/base/limits.h"
#include "runtime/view/format.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXPONENT_MAX = 5000, DIGITS_MAX = 36 };

/* Is it the same number of a type that has `size` bytes? */
static bool is_same(const char *text, long double x, uint32_t size)
{
	return size == sizeof(float)	? strtof(text, NULL) == (float)x
	       : size == sizeof(double) ? strtod(text, NULL) == (double)x
					: strtold(text, NULL) == x;
}

const char *format_real(const struct view *v, char out[FORMAT_REAL_TEXT])
{
	long double x = view_real(v);
	uint32_t size = v->type->size;
	int digits = size == sizeof(float) ? 6 : size == sizeof(double) ? 15 : 18;

	if (isnan(x))
		return "nan";
	do
		snprintf(out, FORMAT_REAL_TEXT, "%.*Lg", digits, x);
	while (!is_same(out, x, size) && digits++ < DIGITS_MAX);
	return out;
}

static int put_digits(char *out, size_t n, const struct format_piece *p, long double x)
{
	int digits = p->precision;

	switch (p->conv) {
	case 'f': return snprintf(out, n, p->alt ? "%#.*Lf" : "%.*Lf", digits, x);
	case 'F': return snprintf(out, n, p->alt ? "%#.*LF" : "%.*LF", digits, x);
	case 'e': return snprintf(out, n, p->alt ? "%#.*Le" : "%.*Le", digits, x);
	case 'E': return snprintf(out, n, p->alt ? "%#.*LE" : "%.*LE", digits, x);
	case 'G': return snprintf(out, n, p->alt ? "%#.*LG" : "%.*LG", digits, x);
	default: return snprintf(out, n, p->alt ? "%#.*Lg" : "%.*Lg", digits, x);
	}
}

void format_convert_real(struct text *t, const struct format_piece *p, const struct view *v)
{
	char digits[LIMIT_WIDTH + EXPONENT_MAX];
	long double x = view_real(v);
	bool is_negative = signbit(x) && !isnan(x);
	char sign = is_negative ? '-' : p->plus ? '+' : p->space ? ' ' : 0;
	int n = put_digits(digits, sizeof(digits), p, isnan(x) || !is_negative ? fabsl(x) : -x);
	size_t len = (size_t)n + (sign != 0);
	size_t pad = p->width > 0 && (size_t)p->width > len ? (size_t)p->width - len : 0;
	bool zeros = p->zero && !p->left && isfinite(x);

	if (!p->left && !zeros)
		text_fill(t, ' ', pad);
	text_put(t, &sign, sign != 0);
	if (zeros)
		text_fill(t, '0', pad);
	text_put(t, digits, (size_t)n);
	if (p->left)
		text_fill(t, ' ', pad);
}
