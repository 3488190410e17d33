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
 *   work(job)     a struct of a file that is mapped, with the same string, "tag", 4 bytes, kind 1
 *   again(job)    the same
 *   mapped(p)     "from the file": a file that is mapped and never read
 *
 *	absent exec	opens a file of that name, and runs `echo` with the string, neither resident
 *
 * The first step of all is work(), of a program that has just started.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 65536 }; /* a multiple of every page size */

static const char page[PAGE] __attribute__((aligned(PAGE), used)) = "untouched";
static const char pages[2 * PAGE]
	__attribute__((aligned(PAGE),
		       used)) = {[PAGE - 4] = 'l', 'e', 'f', 't', '-', 'r', 'i', 'g', 'h', 't'};

struct job {
	int kind;
	const char *name;
	char tag[8];
	const unsigned char *bytes;
	struct job *next;
};

const char *one(const char *text);
void two(const char *text);
void bad(const char *text);
void work(struct job *job);
void again(struct job *job);
void mapped(const char *text);

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

NOINLINE void work(struct job *job)
{
	__asm__ volatile("" ::"r"(job) : "memory");
}

NOINLINE void again(struct job *job)
{
	__asm__ volatile("" ::"r"(job) : "memory");
}

NOINLINE void mapped(const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
}

static struct job *job; /* in a file: what is dropped is read again */

static void make_job(void)
{
	int file = memfd_create("job", 0);

	if (file < 0 || ftruncate(file, PAGE))
		abort();
	job = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (job == MAP_FAILED)
		abort();
	*job = (struct job){1, page, "tag", (const unsigned char *)(pages + PAGE - 4), job};
	close(file);
}

static void map_file(void)
{
	static const char text[] = "from the file";
	FILE *file = tmpfile();
	char *at;

	if (!file || write(fileno(file), text, sizeof(text)) != sizeof(text))
		abort();
	fdatasync(fileno(file));
	posix_fadvise(fileno(file), 0, 0, POSIX_FADV_DONTNEED);
	at = mmap(NULL, sizeof(text), PROT_READ, MAP_PRIVATE, fileno(file), 0);
	if (at == MAP_FAILED)
		abort();
	mapped(at);
	munmap(at, sizeof(text));
	fclose(file);
}

static void drop(void)
{
	if (madvise((void *)(uintptr_t)page, sizeof(page), MADV_DONTNEED) ||
	    madvise((void *)(uintptr_t)pages, sizeof(pages), MADV_DONTNEED) ||
	    madvise(job, PAGE, MADV_DONTNEED))
		abort();
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	char *nothing = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	make_job();
	if (argc > 1 && strcmp(argv[1], "exec") == 0) {
		drop();
		open(page, O_RDONLY);
		drop();
		execl("/bin/echo", "echo", page, NULL);
	}
	for (int i = 0; i < rounds; i++) {
		if (i > 0)
			drop();
		work(job);
		drop();
		again(job);
		map_file();
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
