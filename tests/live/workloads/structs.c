/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs with known contents: a list of three items, with a nested and an unnamed struct, a
 * bit-field with a sign, an enum, text, and a type without a tag. Three rounds.
 */
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE = -3 };

typedef struct {
	int16_t low, high;
} range_t;

struct item {
	struct item *next;
	char name[8];
	int small : 3;
	unsigned int wide : 20;
	enum colour colour;
	union {
		uint64_t word;
		double number;
	};
	struct {
		uint8_t bytes[3];
		range_t ranges[2];
	} inner;
	const range_t *range;
	float ratio;
};

__attribute__((noinline)) static void take_item(const struct item *item, range_t *range,
						enum colour colour)
{
	__asm__ volatile("" ::"r"(item), "r"(range), "r"(colour) : "memory");
}

int main(void)
{
	static range_t range = {-7, 300};
	static struct item third = {.name = "third", .small = -4, .wide = 1048575, .colour = BLUE};
	static struct item second = {.next = &third, .name = "second", .range = &range};
	static struct item first = {.next = &second,
				    .name = "full_len",
				    .small = 3,
				    .wide = 99,
				    .colour = GREEN,
				    .word = 0x1122334455667788,
				    .inner = {{1, 2, 255}, {{10, -20}, {30, 40}}}};

	for (int i = 0; i < 3; i++)
		take_item(&first, &range, GREEN);
	return 0;
}
