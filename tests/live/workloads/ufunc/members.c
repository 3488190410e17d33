/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members that are arrays: of characters (one that is full, without a NUL), of small numbers, of
 * pointers, of structs.
 */
#include <stdint.h>

struct pair {
	int a, b;
};

struct members {
	char full[5];
	uint8_t by[4];
	signed char tiny[4];
	struct pair *pairs[2];
	uint32_t words[3];
	struct pair inner[2];
};

__attribute__((noipa)) static void take(struct members *m)
{
	__asm__ volatile("" ::"r"(m) : "memory");
}

int main(void)
{
	struct pair one = {1, 2}, two = {3, 4};
	struct members m = {
		.full = {'h', 'e', 'l', 'l', 'o'},
		.by = {1, 2, 3, 4},
		.tiny = {-1, 2, 3, 4},
		.pairs = {&one, &two},
		.words = {0x01020304, 5, 6},
		.inner = {{7, 8}, {9, 10}},
	};

	take(&m);
	return 0;
}
