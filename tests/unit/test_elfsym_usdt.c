/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT notes in generated ELF files of 32 and 64 bits, as linked, prelinked, and damaged in every
 * field.
 */
#include "runtime/elf/elfsym.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	NOTES = 0x400, /* where in the file the sections are */
	NAMES = 0xc00,
	SYMBOLS = 0xd00,
	STRINGS = 0xe00,
	HEADERS = 0xf00,
	FILE_BYTES = 0x2000,
	CODE = 0x401000, /* address of what is in the file at 0x1000 */
	DATA = 0x602000, /* ... at 0x1800 */
	BASE = 0x401f00, /* of .stapsdt.base */
};

static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab\0.symtab\0.strtab";
static const char strings[] = "\0counter\0other\0counter@@V1";

struct image {
	char bytes[FILE_BYTES];
	size_t notes; /* bytes of them */
	uint64_t base_address;
};

static void add_note(struct image *im, int bits, uint64_t pc, uint64_t base, uint64_t semaphore,
		     const char *texts, size_t n)
{
	char *to = im->bytes + NOTES + im->notes, *at = to + 20;
	size_t word = (size_t)bits / 8;
	Elf32_Nhdr h = {8, (Elf32_Word)(3 * word + n), 3};

	memcpy(to, &h, sizeof(h));
	memcpy(to + 12, "stapsdt", 8);
	memcpy(at, &pc, word);
	memcpy(at + word, &base, word);
	memcpy(at + 2 * word, &semaphore, word);
	memcpy(at + 3 * word, texts, n);
	im->notes += 20 + ((3 * word + n + 3) & ~(size_t)3);
}

#define NOTE(im, bits, pc, semaphore, texts) \
	add_note(im, bits, pc, BASE, semaphore, texts, sizeof(texts))

#define MAKE(C)                                                                           \
	static void make_##C(struct image *im)                                            \
	{                                                                                 \
		Elf##C##_Ehdr e = {.e_machine = EM_X86_64,                                \
				   .e_phoff = sizeof(e),                                  \
				   .e_phentsize = sizeof(Elf##C##_Phdr),                  \
				   .e_phnum = 2,                                          \
				   .e_shoff = HEADERS,                                    \
				   .e_shentsize = sizeof(Elf##C##_Shdr),                  \
				   .e_shnum = 6,                                          \
				   .e_shstrndx = 3};                                      \
		Elf##C##_Phdr p[2] = {{.p_type = PT_LOAD,                                 \
				       .p_flags = PF_X | PF_R,                            \
				       .p_vaddr = CODE,                                   \
				       .p_offset = 0x1000,                                \
				       .p_filesz = 0x800},                                \
				      {.p_type = PT_LOAD,                                 \
				       .p_flags = PF_W | PF_R,                            \
				       .p_vaddr = DATA,                                   \
				       .p_offset = 0x1800,                                \
				       .p_filesz = 0x800}};                               \
		Elf##C##_Shdr s[6] = {                                                    \
			[1] = {.sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = NOTES},    \
			[2] = {.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_size = 1},     \
			[3] = {.sh_name = 29,                                             \
			       .sh_type = SHT_STRTAB,                                     \
			       .sh_offset = NAMES,                                        \
			       .sh_size = sizeof(names)},                                 \
			[4] = {.sh_name = 39,                                             \
			       .sh_type = SHT_SYMTAB,                                     \
			       .sh_offset = SYMBOLS,                                      \
			       .sh_link = 5},                                             \
			[5] = {.sh_name = 47,                                             \
			       .sh_type = SHT_STRTAB,                                     \
			       .sh_offset = STRINGS,                                      \
			       .sh_size = sizeof(strings)}};                              \
		Elf##C##_Sym y[3] = {{0},                                                 \
				     {.st_name = 1,                                       \
				      .st_value = DATA + 8,                               \
				      .st_shndx = 9,                                      \
				      .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)},   \
				     {.st_name = 15,                                      \
				      .st_value = DATA + 16,                              \
				      .st_size = 12,                                      \
				      .st_shndx = 9,                                      \
				      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)}}; \
		memcpy(e.e_ident, ELFMAG, SELFMAG);                                       \
		e.e_ident[EI_CLASS] = ELFCLASS##C;                                        \
		e.e_ident[EI_DATA] = ELFDATA2LSB;                                         \
		e.e_ident[EI_VERSION] = EV_CURRENT;                                       \
		s[1].sh_size = (uint32_t)im->notes;                                       \
		s[2].sh_addr = (uint32_t)im->base_address;                                \
		s[4].sh_size = sizeof(y);                                                 \
		memcpy(im->bytes, &e, sizeof(e));                                         \
		memcpy(im->bytes + sizeof(e), p, sizeof(p));                              \
		memcpy(im->bytes + HEADERS, s, sizeof(s));                                \
		memcpy(im->bytes + NAMES, names, sizeof(names));                          \
		memcpy(im->bytes + STRINGS, strings, sizeof(strings));                    \
		memcpy(im->bytes + SYMBOLS, y, sizeof(y));                                \
	}
MAKE(64)
MAKE(32)

static struct elfsym *open_image(const struct image *im)
{
	int fd = memfd_create("usdt", MFD_CLOEXEC), err;
	struct elfsym *e;

	assert_int_equal(write(fd, im->bytes, sizeof(im->bytes)), sizeof(im->bytes));
	e = elfsym_open_fd(fd, "/none", &err);
	assert_non_null(e);
	return e;
}

static void print(const struct elfsym_usdt *u, void *ctx)
{
	char *to = ctx;

	sprintf(to + strlen(to), "%s:%s(%s) %llx %llx %llx\n", u->provider, u->name, u->args,
		(unsigned long long)u->vaddr, (unsigned long long)u->file_offset,
		(unsigned long long)u->semaphore);
}

static void expect(const struct image *im, const char *text)
{
	struct elfsym *e = open_image(im);
	char got[4096] = "";

	assert_int_equal(elfsym_each_usdt(e, print, got), 0);
	assert_string_equal(got, text);
	elfsym_close(e);
}

static void test_64(void **state)
{
	struct image im = {.base_address = BASE};

	(void)state;
	NOTE(&im, 64, CODE + 0x10, 0, "app\0start\0-4@%edi 8@$1");
	NOTE(&im, 64, CODE + 0x20, DATA + 4, "app\0stop\0");
	NOTE(&im, 64, CODE + 0x30, 0, "old\0none"); /* no third text */
	make_64(&im);
	expect(&im, "app:start(-4@%edi 8@$1) 401010 1010 0\napp:stop() 401020 1020 1804\n"
		    "old:none() 401030 1030 0\n");
}

static void test_32(void **state)
{
	struct image im = {.base_address = BASE};

	(void)state;
	NOTE(&im, 32, CODE + 0x10, DATA + 4, "app\0start\0-4@%eax");
	make_32(&im);
	expect(&im, "app:start(-4@%eax) 401010 1010 1804\n");
}

/* The notes still have the addresses of before. */
static void test_moved(void **state)
{
	struct image im = {.base_address = BASE};

	(void)state;
	add_note(&im, 64, CODE - 0x100000 + 0x10, BASE - 0x100000, DATA - 0x100000 + 4,
		 "app\0start\0", 11);
	make_64(&im);
	expect(&im, "app:start() 401010 1010 1804\n");
	memset(&im, 0, sizeof(im));
	im.base_address = 0x100; /* moved down */
	add_note(&im, 32, CODE + BASE - 0x100, BASE + BASE - 0x100, 0, "app\0start\0", 11);
	im.base_address = BASE;
	make_32(&im);
	expect(&im, "app:start() 401000 1000 0\n");
}

static void test_wrong(void **state)
{
	struct image im = {.base_address = BASE};
	Elf32_Nhdr huge = {8, 0xfffffff0, 3};

	(void)state;
	NOTE(&im, 64, 0x10, 0, "no\0where\0");
	NOTE(&im, 64, DATA, 0, "not\0code\0");
	NOTE(&im, 64, CODE, 0x10, "bad\0semaphore\0");
	NOTE(&im, 64, CODE, 0, "\0noprovider\0");
	NOTE(&im, 64, CODE, 0, "noname\0\0x");
	add_note(&im, 64, CODE, BASE, 0, "noend", 5);
	NOTE(&im, 64, CODE, 0, "good\0one\0");
	memcpy(im.bytes + NOTES + im.notes, &huge, sizeof(huge));
	im.notes += 64;
	make_64(&im);
	expect(&im, "good:one() 401000 1000 0\n");
	for (size_t cut = 0; cut < im.notes; cut++) { /* of any length */
		struct image shorter = im;
		struct elfsym *e;
		char got[4096] = "";

		shorter.notes = cut;
		make_64(&shorter);
		e = open_image(&shorter);
		assert_int_equal(elfsym_each_usdt(e, print, got), 0);
		elfsym_close(e);
	}
}

static void test_objects(void **state)
{
	struct image im = {.base_address = BASE};
	struct elfsym *e;
	uint64_t at = 0, size = 1;

	(void)state;
	make_64(&im);
	e = open_image(&im);
	assert_int_equal(elfsym_object(e, "counter", &at, &size), 0);
	assert_int_equal(at, DATA + 16); /* the global one, which has a version */
	assert_int_equal(size, 12);
	assert_false(elfsym_is_movable(e));
	assert_int_equal(elfsym_object(e, "count", &at, &size), -3); /* ESRCH */
	assert_int_equal(elfsym_object(e, "", &at, &size), -3);
	elfsym_close(e);
	((Elf64_Ehdr *)(void *)im.bytes)->e_type = ET_DYN;
	e = open_image(&im);
	assert_true(elfsym_is_movable(e));
	elfsym_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_64),	cmocka_unit_test(test_32),
		cmocka_unit_test(test_moved),	cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
