/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of all sizes, and the functions that change them. step() is called with 1, 2 and 3, and
 * adds that to `counter`, which is 40 before; other() is called after each and takes 1 from `half`.
 * The output is the address of `counter`.
 */
#include <stdint.h>
#include <stdio.h>

volatile int counter = 40;
volatile signed char tiny = -7;
volatile short half = -3;
volatile uint64_t wide = 1ull << 40;
char text[20] = "a text";

__attribute__((noipa)) static int step(int n)
{
	counter += n;
	return counter;
}

__attribute__((noipa)) static int other(void)
{
	half--;
	return tiny + (int)wide + text[0];
}

int main(void)
{
	for (int i = 1; i <= 3; i++) {
		step(i);
		other();
	}
	printf("%p\n", (void *)&counter);
	return 0;
}
