/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls with arguments and results of many types, once each with known values. Usage: calls_values
 */
#include <stdbool.h>
#include <stdint.h>

#include "probed.h"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum colour { RED, GREEN = 5 };
struct point {
	int x, y;
};
struct big {
	long a[5];
};
PROBED int f(int n, const char *s)
{
	return n - 8 - (s[0] == 0);
}

PROBED struct point move(struct point p, int by)
{
	return (struct point){p.x + by, p.y - by};
}

PROBED struct big make(long a)
{
	struct big b = {{a, a, a, a, a}};
	return b;
}

PROBED long use(struct big b)
{
	return b.a[4];
}

PROBED const char *name(enum colour c)
{
	return c == RED ? "red" : "gr\"een\n";
}

PROBED bool both(bool a, char c, uint8_t u, int16_t h)
{
	return a && c == 'x' && u && h;
}

PROBED double real(double d, float x, int i)
{
	return d + x + i;
}

PROBED void *address(void *p, int **q)
{
	return q ? p : 0;
}

PROBED long many(long a, long b, long c, long d, long e, long g, int h, const char *s)
{
	return a + b + c + d + e + g + h + s[0];
}

PROBED void nothing(void)
{
}

PROBED int deep(int n)
{
	volatile int r = n ? deep(n - 1) : 7;
	return r + 1;
}

int main(void)
{
	long s = 0;
	s += f(3, "x");
	s += f(-1, "");
	s += f(1, "a string of more than thirty-one bytes that is cut");
	s += f(2, "exactly thirty bytes of a text");
	s += move((struct point){1, -2}, 10).x;
	s += make(4).a[0];
	s += use(make(6));
	s += (long)name(RED) + (long)name(GREEN);
	s += both(true, 'x', 200, -300);
	s += (long)real(1.5, 2, 3);
	s += (long)address((void *)0x10, 0);
	s += many(1, 2, 3, 4, 5, 6, -7, "eighth");
	nothing();
	s += deep(2);
	return s == 42;
}
