/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps a library from an archive, as Android's dynamic linker does, and calls a function of it ten
 * times: archived ARCHIVE OFFSET ADDRESS. The function `add` takes and returns an int.
 * With -DLIBRARY: the library.
 */
#ifdef LIBRARY
__attribute__((noipa)) int add(int n)
{
	return n + 1;
}
#else
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, SPACE = 1 << 20 };

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY), sum = 0;
	long base = strtol(argv[2], NULL, 0);
	char *head = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, base);
	char *at = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const Elf64_Ehdr *e = (const void *)head;
	const Elf64_Phdr *p = (const void *)(head + e->e_phoff);
	int (*add)(int) = (int (*)(int))(at + strtol(argv[3], NULL, 16));

	for (int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X)
			mmap(at + p[i].p_vaddr / PAGE * PAGE, p[i].p_memsz + p[i].p_vaddr % PAGE,
			     PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			     base + (long)(p[i].p_offset / PAGE * PAGE));
	for (int i = 0; i < 10; i++)
		sum += add(i);
	printf("%d\n", sum);
	return 0;
}
#endif
