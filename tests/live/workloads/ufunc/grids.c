/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of arrays and of strings, as members, behind pointers and as parameters.
 */
enum shade { DARK, LIGHT = 7 };

struct inner {
	short a[2][2];
	char tag[3];
	enum shade shade;
};

struct grids {
	char names[4][16];
	int numbers[2][3];
	struct inner inner[2];
	char (*row)[16];
	struct {
		long left, right;
	} sides;
};

__attribute__((noipa)) static void take(struct grids *g, int (*numbers)[3], char (*names)[16])
{
	__asm__ volatile("" ::"r"(g), "r"(numbers), "r"(names) : "memory");
}

int main(void)
{
	struct grids g = {
		.names = {"one", "two", "three", "fifteen-letters"},
		.numbers = {{1, 2, 3}, {4, 5, 6}},
		.inner = {{{{1, 2}, {3, 4}}, "ab", LIGHT}, {{{5, 6}, {7, 8}}, "cd", DARK}},
		.sides = {10, 20},
	};

	g.row = g.names;
	take(&g, g.numbers, g.names);
	return 0;
}
