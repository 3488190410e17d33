/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdso       passes the address of the vDSO's clock_gettime to a function
 * vdso spin  calls it for 0.2 s
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

__attribute__((noinline)) static void take(uint64_t address)
{
	__asm__ volatile("" ::"r"(address) : "memory");
}

static int spin(void)
{
	struct timespec t, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += 200000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (t.tv_sec < end.tv_sec || (t.tv_sec == end.tv_sec && t.tv_nsec < end.tv_nsec));
	return 0;
}

int main(int n, char **words)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *e = (const void *)base;
	const Elf64_Shdr *sections = (const void *)(base + e->e_shoff);

	if (n > 1 && strcmp(words[1], "spin") == 0)
		return spin();
	for (int i = 0; i < e->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		const Elf64_Sym *symbols = (const void *)(base + s->sh_offset);
		const char *names = base + sections[s->sh_link].sh_offset;

		for (uint64_t k = 0; s->sh_type == SHT_DYNSYM && k < s->sh_size / sizeof(*symbols);
		     k++)
			if (strstr(names + symbols[k].st_name, "clock_gettime")) {
				take((uint64_t)base + symbols[k].st_value);
				return 0;
			}
	}
	return 1;
}
