/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are not words, each passed or returned once: structures by value, floating-point
 * numbers in memory, local variables at source lines. Usage: values
 */
#include <stdint.h>

#include "probed.h"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct point {
	int x;
	struct point *next;
};
struct three {
	int16_t a, b, c;
	int32_t d;
};
struct big {
	long values[5];
	char name[8];
};
struct part {
	double ratio;
	int n;
};
struct reading {
	float small;
	double ratio;
	long double wide;
	int n;
	float list[3];
};
typedef struct {
	uint8_t only;
} tiny_t;
union either {
	int number;
	long wide;
};

volatile long sink;
struct reading reading = {0.1f, -2.5e-300, 1234567.0625L, 7, {1.5f, -0.0f, 3e38f}};
struct point last = {9, 0};

PROBED struct point returns_point(int n)
{
	return (struct point){n, &last};
}

PROBED struct three returns_three(int n)
{
	return (struct three){(int16_t)-n, 2, 3, n * 1000};
}

PROBED tiny_t returns_tiny(int n)
{
	return (tiny_t){(uint8_t)n};
}

PROBED union either returns_either(int n)
{
	return (union either){.wide = n};
}

PROBED struct big returns_big(int n)
{
	return (struct big){{n, n + 1, n + 2}, "big"};
}

PROBED struct part returns_part(int n)
{
	return (struct part){n / 2.0, n};
}

PROBED void reads(struct reading *r, const double *ratio, float *list)
{
	sink += r->n + (long)*ratio + (long)list[0];
}

/* The ninth number is on the stack. */
PROBED void many(double a, double b, double c, double d, double e, double f, double g, double h,
		 double on_stack, struct part part, struct point point)
{
	sink += (long)(a + b + c + d + e + f + g + h + on_stack) + part.n + point.x;
}

/* The products as C computes them, where they are in the range of int64. */
PROBED void scales(const double *x, const float *f, const long double *w, long n, long as_double,
		   long as_float, long as_wide)
{
	sink += (long)*x + (long)*f + (long)*w + n + as_double + as_float + as_wide;
}

static void scale_many(void)
{
	static const long factors[] = {1, 10, 100, 1000, -1000, 1000000, 7, 16777217, 12345678901};
	uint64_t bits = 88172645463325252;

	for (int i = 0; i < 360; i++) {
		long n = factors[i % 9];
		double x;
		float f;
		long double w;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		x = (double)(int64_t)bits / (double)(1ull << (24 + i % 40));
		x = i % 3 ? (double)(int64_t)(x * 100) / 100 : x;
		x = i % 5 ? x : 1 / x;
		x = x > 1e8 || x < -1e8 ? x / 1e12 : x;
		f = (float)x;
		w = x / 3.0L;
		scales(&x, &f, &w, n, (long)(x * (double)n), (long)(f * (float)n),
		       (long)(w * (long double)n));
	}
}

int main(void)
{
	double numbers[] = {0.7, 1e18, -1e300, 1.0 / 3, -1.115, 0.0};

	returns_point(4);
	returns_three(5);
	returns_tiny(200);
	returns_either(-6);
	returns_big(40);
	returns_part(3);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		reading.ratio = numbers[i];
		reading.small = (float)numbers[i];
		reading.wide = numbers[i];
		reads(&reading, &numbers[i], reading.list);
	}
	many(1, 2, 3, 4, 5, 6, 7, 8, 9.25, (struct part){0.5, 3}, (struct point){6, &last});
	scale_many();
	return 0;
}
