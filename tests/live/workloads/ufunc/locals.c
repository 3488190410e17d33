/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local variables with known values at lines that tests find by their comments. Usage: locals
 */
#include <stdint.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define PROBED __attribute__((noipa))

struct point {
	int x;
	struct point *next;
};

volatile long sink;

PROBED long use(const void *p, long n)
{
	sink += n + (p != 0);
	return sink;
}

PROBED long add_up(int n, const char *name)
{
	static int calls;
	int list[4] = {n, n + 1, n + 2, n + 3};
	struct point point = {n * 2, 0};
	double half = n / 2.0;
	long total = 0;
	char text[8] = "local";
	uint8_t is_odd = n % 2;

	calls++;
	use(&half, 0);
	use(text, 0);
	point.next = &point;
	for (int i = 0; i < 4; i++) {
		long square = (long)list[i] * list[i];

		total += square;
		use(list, total); /* in the loop */
	}
	{
		long total = -1; /* another one of that name */

		use(&total, is_odd);
		sink += total; /* in the block */
	}
	use(&point, total); /* at the end */
	return total + name[0];
}

static inline __attribute__((always_inline)) long inlined(long first)
{
	long second = first * 3 + sink * 0;

	use(&second, first); /* in the inlined function */
	return second;
}

PROBED long calls_inlined(long first)
{
	long other = first + 100;

	other += inlined(first + 5);
	return use(0, other); /* after it */
}

static inline __attribute__((always_inline)) long forgets(long same)
{
	use(0, same);
	return use(0, 1); /* behind its use */
}

PROBED long calls_forgets(long first)
{
	return forgets(first) + 1;
}

int main(void)
{
	sink = 0;
	add_up(3, "name");
	sink = 0;
	calls_inlined(7);
	calls_forgets(8);
	return 0;
}
