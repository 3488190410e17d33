/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that return each type once, with known values, for `retval`.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#define F __attribute__((noipa))
enum colour { RED, GREEN = 7, BLUE = -3 };
struct point {
	int x;
	long y;
};
struct pair {
	int a, b;
};
typedef int16_t small_t;
struct point where = {4, -9};
char word[] = "Hello";
F int8_t i8(int n)
{
	return n;
}
F uint8_t u8(int n)
{
	return n;
}
F small_t i16(int n)
{
	return n;
}
F uint16_t u16(int n)
{
	return n;
}
F int32_t i32(int n)
{
	return n;
}
F uint32_t u32(int n)
{
	return n;
}
F int64_t i64(int n)
{
	return n;
}
F uint64_t u64(int n)
{
	return n;
}
F bool yes(int n)
{
	return n;
}
F char letter(int n)
{
	return n;
}
F enum colour colour(int n)
{
	return n;
}
F struct point *point(int n)
{
	return n ? &where : 0;
}
F const char *text(int n)
{
	return n ? word : 0;
}
F const void *any(int n)
{
	return &where;
}
F double real(double x, int n)
{
	return x * n;
}
F float small_real(int n)
{
	return n;
}
F struct pair pair(int n)
{
	return (struct pair){n, n};
}
F void nothing(int n)
{
	__asm__ volatile("" : : "r"(n));
}
int main(void)
{
	word[0] = 'h'; /* the page is in memory */
	i8(-5);
	u8(200);
	i16(-300);
	u16(60000);
	i32(-5);
	u32(4000000000u);
	i64(-5);
	u64(-1);
	yes(1);
	letter('x');
	colour(7);
	colour(-3);
	point(1);
	text(1);
	any(1);
	real(2.5, 3);
	small_real(1);
	pair(1);
	nothing(1);
	return 0;
}
