/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings that are not resident when a probe reads them.
 *
 *	absent ROUNDS	does these steps in each round, and drops the pages before each step:
 *
 *   demo:literal  (usdt) arg0 is a string in the program's file
 *   one(p)        the same string; returns it
 *   two(p)        "left-right"; the hyphen is the first byte of another page
 *   bad(p)        an invalid address
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 65536 }; /* a multiple of every page size */

static const char page[PAGE] __attribute__((aligned(PAGE), used)) = "untouched";
static const char pages[2 * PAGE]
	__attribute__((aligned(PAGE),
		       used)) = {[PAGE - 4] = 'l', 'e', 'f', 't', '-', 'r', 'i', 'g', 'h', 't'};

const char *one(const char *text);
void two(const char *text);
void bad(const char *text);

#define NOINLINE __attribute__((noinline, noclone))

__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

NOINLINE static void literal(const char *text)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",%%note\n"
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"
			 ".asciz \"demo\"\n.asciz \"literal\"\n.asciz \"8@%0\"\n"
			 "994: .balign 4\n.popsection\n" ::"r"(text)
			 : "memory");
}

NOINLINE const char *one(const char *text)
{
	__asm__ volatile("" : "+r"(text)::"memory");
	return text;
}

NOINLINE void two(const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
}

NOINLINE void bad(const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
}

static void drop(void)
{
	if (madvise((void *)(uintptr_t)page, sizeof(page), MADV_DONTNEED) ||
	    madvise((void *)(uintptr_t)pages, sizeof(pages), MADV_DONTNEED))
		abort();
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	char *nothing = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(nothing, PAGE);
	for (int i = 0; i < rounds; i++) {
		drop();
		literal(page);
		drop();
		one(page);
		drop();
		two(pages + PAGE - 4);
		bad(nothing);
	}
	return 0;
}
