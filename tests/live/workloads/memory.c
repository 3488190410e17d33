/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory with known contents: a function takes the addresses of an array of numbers, of an array of
 * such addresses, and of bytes; write(2) takes that of "sonde wrote", to /dev/null; a file is
 * opened relative to the working directory. Three rounds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

struct point {
	int32_t x, y;
	uint64_t long_one;
	uint8_t bytes[4];
};

__attribute__((noinline)) static void take_numbers(const int32_t *numbers, int32_t **rows,
						   const struct point *point)
{
	__asm__ volatile("" ::"r"(numbers), "r"(rows), "r"(point) : "memory");
}

int main(void)
{
	static int32_t numbers[] = {10, -20, 30, 40}, more[] = {7, 8};
	static int32_t *rows[] = {numbers, more};
	static struct point point = {-5, 6, 0x1122334455667788, {1, 2, 3, 255}};
	int null = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 3; i++) {
		take_numbers(numbers, rows, &point);
		if (write(null, "sonde wrote", 11) != 11)
			return 1;
		close(open("memory.none", O_RDONLY));
	}
	return 0;
}
