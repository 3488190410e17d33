/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions with arguments of all kinds, each called once with known values. Usage: args
 */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "probed.h"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum colour { RED, GREEN = 7 };
enum side { LEFT = -3, RIGHT = 4 };
struct pair {
	long first, second;
};
struct small {
	char letter;
	short number;
};
struct mixed {
	double part;
	int number;
};
struct big {
	long values[5];
};
struct packed {
	char letter;
	long number;
} __attribute__((packed));
struct bits {
	unsigned low : 3, middle : 7, high : 22;
};
union either {
	float part;
	int number;
};
typedef const char *label;

volatile long sink;

PROBED static void widths(signed char a, unsigned char b, short c, unsigned short d, int e,
			  unsigned f)
{
	sink += a + b + c + d + e + f;
}

PROBED void wide(long a, unsigned long b, long long c, uint64_t d, bool e, char f)
{
	sink += a + b + c + d + e + f;
}

PROBED void kinds(enum colour colour, enum side side, const char *name, label tag, struct big *big,
		  int (*call)(long, const char *))
{
	sink += colour + side + name[0] + tag[0] + big->values[0] + (call != 0);
}

PROBED int floats(double x, int a, float y, long b, long double z, short c, double complex w,
		  char d)
{
	sink += (long)x + a + (long)y + b + (long)z + c + (long)creal(w);
	return a + d;
}

PROBED void by_value(int a, struct pair pair, int b, struct big big, int c, struct small small)
{
	sink += a + pair.first + b + big.values[1] + c + small.number;
}

PROBED void by_value_too(struct mixed mixed, int a, struct packed packed, int b, struct bits bits,
			 union either either, int c, int d)
{
	sink += mixed.number + a + packed.number + b + bits.low + either.number + c + d;
}

/* Only one register is left for the second structure, so it goes to the stack; the next argument
 * takes the register. */
PROBED void spilled(long a, long b, long c, struct pair one, struct pair two, long d, long e)
{
	sink += a + b + c + one.first + two.second + d + e;
}

PROBED void many(int a, int b, int c, int d, int e, int f, short g, long h, __int128 wide,
		 signed char i, const char *name)
{
	sink += a + b + c + d + e + f + g + h + (long)wide + i + name[0];
}

PROBED struct big returns_big(int a, int b)
{
	return (struct big){{a, b}};
}

PROBED struct pair returns_pair(int a, int b)
{
	return (struct pair){a, b};
}

PROBED void variadic(int a, ...)
{
	sink += a;
}

PROBED void points(int *p, short *s, const char *c, enum side *side, char **texts,
		   struct pair *pair, const volatile bool *flag, void *any)
{
	sink += *p + *s + *c + *side + texts[1][0] + pair->first + *flag + (any != 0);
}

PROBED void points_too(long *p, short *s)
{
	sink += *p + *s;
}

PROBED int same_a(int id, const char *name)
{
	sink += name[0];
	return id;
}

PROBED int same_b(int id, const char *name)
{
	sink += name[1];
	return id + 1;
}

PROBED int same_c(const char *name, int id)
{
	sink += name[0];
	return id;
}

static int callee(long a, const char *b)
{
	return (int)a + b[0];
}

/* Called with a single value of y: the optimizer's clone has no y. */
__attribute__((noinline)) static int shrunk(int x, int y, int z)
{
	__asm__ volatile("" ::: "memory");
	return x * y + z;
}

int main(void)
{
	struct big big = {{1, 2, 3, 4, 5}};
	struct pair pair = {11, 12};
	char name[] = "name", tag[] = "tag",
	     last[] = "last"; /* stored to memory before they are read */

	widths(-1, 200, -300, 60000, -70000, 4000000000u);
	wide(-5, 18446744073709551615ul, -6, 7, true, 'x');
	kinds(GREEN, LEFT, name, tag, &big, callee);
	floats(1.5, -2, 2.5f, 3, 3.5l, -4, 4.5 + 1.0 * I, 'y');
	by_value(-1, pair, 2, big, 3, (struct small){'a', 5});
	by_value_too((struct mixed){1.5, 2}, 3, (struct packed){'a', 4}, 5, (struct bits){1, 2, 3},
		     (union either){.number = 6}, 7, 8);
	spilled(1, 2, 3, pair, (struct pair){21, 22}, 4, 5);
	many(1, 2, 3, 4, 5, 6, -7, 8, 9, -10, last);
	sink += returns_big(31, 32).values[0] + returns_pair(41, 42).second;
	variadic(51, 52, 53);
	points((int[]){5, -6}, &(short){-3}, (char[]){'c', 'd', 0}, &(enum side){LEFT},
	       (char *[]){name, tag}, &pair, &(bool){true}, name);
	points_too(&(long){-8}, &(short){-9});
	for (int i = 0; i < 3; i++)
		sink += same_a(i, "aa") + same_b(i, "bb") + same_c("cc", i);
	sink += shrunk((int)sink, 3, 1) + shrunk(2, 3, (int)sink);
	return 0;
}
