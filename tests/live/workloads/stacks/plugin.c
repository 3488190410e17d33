/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that load.c loads and unloads: two are built of this file, with functions in another
 * order and with other frames, so that the rows of the one are wrong for the other.
 */
#include <string.h>

#define STAYS __attribute__((noinline))

typedef void wait_fn(void);

int k_plugin(wait_fn *wait);

#ifdef SECOND
STAYS static int k_second_inner(wait_fn *wait, int n)
{
	char room[3000];

	memset(room, n, sizeof(room));
	wait();
	return room[n];
}

STAYS static int k_second_middle(wait_fn *wait, int n)
{
	char room[40];

	memset(room, n, sizeof(room));
	return k_second_inner(wait, n) + room[n];
}

int k_plugin(wait_fn *wait)
{
	char room[700];

	memset(room, 1, sizeof(room));
	return k_second_middle(wait, 3) + room[9];
}
#else
int k_plugin(wait_fn *wait);

STAYS static int k_first_inner(wait_fn *wait, int a, int b, int c)
{
	wait();
	return a + b * c;
}

int k_plugin(wait_fn *wait)
{
	return k_first_inner(wait, 1, 2, 3) + 1;
}

/* Only to be where the functions of the other one are. */
STAYS int k_first_unused(int n)
{
	char room[300];

	memset(room, n, sizeof(room));
	return room[n] + (n > 5 ? k_first_unused(n - 1) : 0);
}
#endif
