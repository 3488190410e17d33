/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF symbols: of this test, of libc, and of small generated ELF files (both classes, with aliases,
 * symbols without size, labels inside functions, versions), also truncated and randomly damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/elf/elfsym.h"

#define TEXT_ADDRESS 0x401000u
#define TEXT_OFFSET 0x1000u
#define TEXT_BYTES 0x1000u
#define INFO(bind, type) ELF64_ST_INFO(STB_##bind, STT_##type)

struct made {
	const char *name;
	uint32_t at, size; /* in text */
	uint8_t info;
};

/* Aliases, a label in a function, no sizes, asm, an IFUNC, versions, and data that must not
 * show. */
static const struct made made[] = {
	{"alias_local_and_very_long", 0x000, 0x40, INFO(LOCAL, FUNC)},
	{"__alias", 0x000, 0x40, INFO(GLOBAL, FUNC)},
	{"alias", 0x000, 0x40, INFO(WEAK, FUNC)},
	{"other_alias", 0x000, 0x40, INFO(GLOBAL, FUNC)},
	{"outer", 0x100, 0x100, INFO(GLOBAL, FUNC)},
	{"inner_label", 0x120, 0x08, INFO(LOCAL, NOTYPE)},
	{"no_size", 0x300, 0, INFO(GLOBAL, FUNC)},
	{"after_no_size", 0x380, 0x10, INFO(LOCAL, FUNC)},
	{"assembly", 0x400, 0x20, INFO(GLOBAL, NOTYPE)},
	{"marker", 0x410, 0, INFO(LOCAL, NOTYPE)},
	{"resolver", 0x500, 0x20, INFO(GLOBAL, GNU_IFUNC)},
	{"copy@VER_1", 0x600, 0x20, INFO(GLOBAL, FUNC)},
	{"copy@@VER_2", 0x700, 0x20, INFO(GLOBAL, FUNC)},
	{"same_name", 0x800, 0x20, INFO(LOCAL, FUNC)},
	{"same_name", 0x900, 0x20, INFO(GLOBAL, FUNC)},
	{"data", 0x000, 0x20, INFO(GLOBAL, OBJECT)},
	{"outside", 0x5000, 0x20, INFO(GLOBAL, FUNC)},
	{"last", 0xf00, 0, INFO(GLOBAL, FUNC)},
};
enum { N_MADE = sizeof(made) / sizeof(made[0]) };

static char folder[] = "/tmp/test_elfsym.XXXXXX";
static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

enum { SYMBOLS_AT = 0x2000, STRINGS_AT = 0x3000, SECTIONS_AT = 0x4000, FILE_BYTES = 0x4200 };

/* Lay out one ELF of the class; `C` is 32 or 64. */
#define MAKE_ELF(C)                                                                          \
	static void make_elf_##C(char *file)                                                 \
	{                                                                                    \
		Elf##C##_Ehdr h = {.e_type = ET_EXEC,                                        \
				   .e_machine = EM_X86_64,                                   \
				   .e_version = 1,                                           \
				   .e_phoff = 0x100,                                         \
				   .e_shoff = SECTIONS_AT,                                   \
				   .e_phentsize = sizeof(Elf##C##_Phdr),                     \
				   .e_phnum = 1,                                             \
				   .e_shentsize = sizeof(Elf##C##_Shdr),                     \
				   .e_shnum = 4};                                            \
		Elf##C##_Phdr p = {.p_type = PT_LOAD,                                        \
				   .p_flags = PF_R | PF_X,                                   \
				   .p_offset = TEXT_OFFSET,                                  \
				   .p_vaddr = TEXT_ADDRESS,                                  \
				   .p_filesz = TEXT_BYTES,                                   \
				   .p_memsz = TEXT_BYTES};                                   \
		Elf##C##_Shdr s[4] = {                                                       \
			{0},                                                                 \
			{.sh_type = SHT_PROGBITS,                                            \
			 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,                              \
			 .sh_addr = TEXT_ADDRESS,                                            \
			 .sh_offset = TEXT_OFFSET,                                           \
			 .sh_size = TEXT_BYTES},                                             \
			{.sh_type = SHT_SYMTAB,                                              \
			 .sh_offset = SYMBOLS_AT,                                            \
			 .sh_link = 3,                                                       \
			 .sh_size = (N_MADE + 1) * sizeof(Elf##C##_Sym)},                    \
			{.sh_type = SHT_STRTAB, .sh_offset = STRINGS_AT, .sh_size = 0x1000}, \
		};                                                                           \
		size_t at = 1;                                                               \
                                                                                             \
		memcpy(h.e_ident, ELFMAG, SELFMAG);                                          \
		h.e_ident[EI_CLASS] = ELFCLASS##C;                                           \
		h.e_ident[EI_DATA] = ELFDATA2LSB;                                            \
		h.e_ident[EI_VERSION] = EV_CURRENT;                                          \
		memset(file, 0, FILE_BYTES);                                                 \
		memcpy(file, &h, sizeof(h));                                                 \
		memcpy(file + 0x100, &p, sizeof(p));                                         \
		memcpy(file + SECTIONS_AT, s, sizeof(s));                                    \
		for (size_t i = 0; i < N_MADE; i++) {                                        \
			Elf##C##_Sym y = {.st_name = (uint32_t)at,                           \
					  .st_info = made[i].info,                           \
					  .st_value = TEXT_ADDRESS + made[i].at,             \
					  .st_size = made[i].size,                           \
					  .st_shndx = 1};                                    \
                                                                                             \
			memcpy(file + SYMBOLS_AT + (i + 1) * sizeof(y), &y, sizeof(y));      \
			strcpy(file + STRINGS_AT + at, made[i].name);                        \
			at += strlen(made[i].name) + 1;                                      \
		}                                                                            \
	}
MAKE_ELF(32)
MAKE_ELF(64)

static void assert_at(struct elfsym *e, uint32_t at, const char *name, uint64_t offset)
{
	const char *found = NULL;
	uint64_t past = 0;
	bool ok = elfsym_by_address(e, TEXT_ADDRESS + at, &found, &past);

	assert_int_equal(ok, name != NULL);
	if (!name)
		return;
	assert_string_equal(found, name);
	assert_int_equal(past, offset);
}

static void assert_named(struct elfsym *e, const char *name, uint32_t at, uint64_t size)
{
	uint64_t vaddr, file_offset, found_size;

	assert_int_equal(elfsym_by_name(e, name, &vaddr, &file_offset, &found_size), 0);
	assert_int_equal(vaddr, TEXT_ADDRESS + at);
	assert_int_equal(file_offset, TEXT_OFFSET + at);
	assert_int_equal(found_size, size);
}

static void check_made(const char *path)
{
	uint64_t a, b, c;
	int err = 0;
	struct elfsym *e = elfsym_open(path, &err);

	assert_non_null(e);
	for (int twice = 0; twice < 2; twice++) {
		assert_at(e, 0x3f, "alias", 0x3f);
		assert_at(e, 0x40, NULL, 0);
		assert_at(e, 0x122, "inner_label", 2);
		assert_at(e, 0x130, "outer", 0x30);
		assert_at(e, 0x200, NULL, 0);
		assert_at(e, 0x37f, "no_size", 0x7f);
		assert_at(e, 0x380, "after_no_size", 0);
		assert_at(e, 0x418, "assembly", 0x18);
		assert_at(e, 0x510, "resolver", 0x10);
		assert_at(e, 0x600, "copy", 0);
		assert_at(e, 0xfff, "last", 0xff);
		assert_at(e, 0x1000, NULL, 0);
		assert_at(e, 0x5000, NULL, 0);
	}
	assert_named(e, "alias", 0, 0x40);
	assert_named(e, "__alias", 0, 0x40);
	assert_named(e, "resolver", 0x500, 0x20);
	assert_named(e, "assembly", 0x400, 0x20);
	assert_named(e, "copy", 0x700, 0x20);
	assert_named(e, "same_name", 0x900, 0x20);
	assert_int_equal(elfsym_by_name(e, "lias", &a, &b, &c), -ESRCH);
	assert_int_equal(elfsym_by_name(e, "data", &a, &b, &c), -ESRCH);
	assert_int_equal(elfsym_by_name(e, "", &a, &b, &c), -ESRCH);
	assert_true(elfsym_file_to_vaddr(e, TEXT_OFFSET + 5, &a));
	assert_int_equal(a, TEXT_ADDRESS + 5);
	assert_false(elfsym_file_to_vaddr(e, TEXT_OFFSET + TEXT_BYTES, &a));
	elfsym_close(e);
}

static void test_made_64(void **state)
{
	char file[FILE_BYTES];

	(void)state;
	make_elf_64(file);
	write_file(path_of("made64"), file, sizeof(file));
	check_made(path_of("made64"));
}

static void test_made_32(void **state)
{
	char file[FILE_BYTES];

	(void)state;
	make_elf_32(file);
	write_file(path_of("made32"), file, sizeof(file));
	check_made(path_of("made32"));
}

struct names {
	size_t n, n_copy, n_last;
};

static void count_name(const char *name, uint64_t vaddr, uint64_t file_offset, uint64_t size,
		       void *ctx)
{
	struct names *n = ctx;

	(void)vaddr;
	(void)file_offset;
	(void)size;
	n->n++;
	n->n_copy += strcmp(name, "copy") == 0;
	n->n_last += strcmp(name, "last") == 0;
}

static void test_all_names(void **state)
{
	struct names n = {0};
	int err;
	struct elfsym *e = elfsym_open(path_of("made64"), &err);

	(void)state;
	assert_non_null(e);
	assert_int_equal(elfsym_each_function(e, count_name, &n), 0);
	assert_int_equal(n.n, N_MADE - 3); /* not data, outside, marker */
	assert_int_equal(n.n_copy, 2);
	assert_int_equal(n.n_last, 1);
	elfsym_close(e);
}

__attribute__((noinline)) static int a_function_of_this_test(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void test_self(void **state)
{
	struct link_map *map;
	const char *name;
	Dl_info info;
	uint64_t vaddr, file_offset, size, offset, back;
	int err;
	struct elfsym *e = elfsym_open("/proc/self/exe", &err);

	(void)state;
	assert_non_null(e);
	assert_int_not_equal(dladdr1((void *)a_function_of_this_test, &info, (void **)&map,
				     RTLD_DL_LINKMAP),
			     0);
	vaddr = (uintptr_t)a_function_of_this_test - map->l_addr;
	assert_true(elfsym_by_address(e, vaddr + 3, &name, &offset));
	assert_string_equal(name, "a_function_of_this_test");
	assert_int_equal(offset, 3);
	assert_int_equal(elfsym_by_name(e, "a_function_of_this_test", &back, &file_offset, &size),
			 0);
	assert_int_equal(back, vaddr);
	assert_true(size > 0);
	assert_true(elfsym_file_to_vaddr(e, file_offset, &back));
	assert_int_equal(back, vaddr);
	assert_true(elfsym_frame_range(e, vaddr + size - 1, &back, &offset));
	assert_int_equal(back, vaddr);
	assert_int_equal(offset, size);
	assert_false(elfsym_frame_range(e, 8, &back, &offset)); /* in the header of the file */
	elfsym_close(e);
	a_function_of_this_test(1);
}

static void test_libc(void **state)
{
	const char *name, *plain[] = {"malloc", "fork", "printf", "pthread_create", "free"};
	struct link_map *map;
	Dl_info info;
	int err;
	struct elfsym *e;

	(void)state;
	/* looked up in libc itself: a sanitizer's library may precede it */
	assert_int_not_equal(dladdr1(dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "fprintf"),
				     &info, (void **)&map, RTLD_DL_LINKMAP),
			     0);
	e = elfsym_open(info.dli_fname, &err);
	assert_non_null(e);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		uint64_t vaddr, file_offset, size, offset;

		assert_int_equal(elfsym_by_name(e, plain[i], &vaddr, &file_offset, &size), 0);
		assert_true(elfsym_by_address(e, vaddr, &name, &offset));
		assert_int_equal(offset, 0);
		if (strcmp(plain[i], "printf") != 0)
			assert_non_null(strstr(name, plain[i]));
	}
	elfsym_close(e);
}

static void exercise(const char *path)
{
	uint64_t a, b, c;
	const char *name;
	struct names n = {0};
	int err = 0;
	struct elfsym *e = elfsym_open(path, &err);

	if (!e) {
		assert_true(err < 0);
		return;
	}
	for (uint32_t at = 0; at < TEXT_BYTES; at += 0x20)
		if (elfsym_by_address(e, TEXT_ADDRESS + at, &name, &a))
			assert_true(strlen(name) > 0);
	elfsym_by_name(e, "same_name", &a, &b, &c);
	elfsym_each_function(e, count_name, &n);
	elfsym_file_to_vaddr(e, 0x1234, &a);
	elfsym_close(e);
}

static void test_cut_short(void **state)
{
	char file[FILE_BYTES];

	(void)state;
	make_elf_64(file);
	for (size_t n = 0; n < FILE_BYTES; n += n < 0x200 ? 1 : 61) {
		write_file(path_of("cut"), file, n);
		exercise(path_of("cut"));
	}
}

/* With sanitizers, each takes 100 ms, and fuzz_elf tries more. */
#ifdef SONDE_ASAN
enum { OVERWRITTEN = 200 };
#else
enum { OVERWRITTEN = 1000 };
#endif

static void test_overwritten(void **state)
{
	char file[FILE_BYTES];
	static const struct {
		size_t at, n;
	} regions[] = {{0, 64}, {0x100, 56}, {SYMBOLS_AT, 0x200}, {SECTIONS_AT, 0x100}};

	(void)state;
	srandom(1);
	for (int i = 0; i < OVERWRITTEN; i++) {
		size_t region = (size_t)i % 4;

		(i & 16) ? make_elf_32(file) : make_elf_64(file);
		for (long k = random() % 6; k >= 0; k--)
			file[regions[region].at + (size_t)random() % regions[region].n] =
				random() & 1 ? (char)random() : (char)0xff;
		if (i & 32)
			memset(file + STRINGS_AT, 'x', 0x1000); /* strings without an end */
		write_file(path_of("bad"), file, sizeof(file));
		exercise(path_of("bad"));
	}
}

static void test_cut_while_open(void **state)
{
	char file[FILE_BYTES];
	const char *name;
	uint64_t offset;
	int err;
	struct elfsym *e;

	(void)state;
	make_elf_64(file);
	write_file(path_of("open"), file, sizeof(file));
	e = elfsym_open(path_of("open"), &err);
	assert_non_null(e);
	assert_at(e, 0x380, "after_no_size", 0);
	assert_int_equal(truncate(path_of("open"), 0x1000), 0);
	assert_at(e, 0x380, "after_no_size", 0); /* known already */
	assert_false(elfsym_by_address(e, TEXT_ADDRESS + 0x500, &name, &offset));
	elfsym_close(e);
}

static void test_errors(void **state)
{
	int err = 0;

	(void)state;
	assert_null(elfsym_open("/no/such/file", &err));
	assert_int_equal(err, -ENOENT);
	write_file(path_of("text"), "#!/bin/sh\n", 10);
	assert_null(elfsym_open(path_of("text"), &err));
	assert_int_equal(err, -ENOEXEC);
	write_file(path_of("empty"), "", 0);
	assert_null(elfsym_open(path_of("empty"), &err));
	assert_int_equal(err, -ENOEXEC);
	assert_null(elfsym_open("/tmp", &err));
	assert_int_equal(err, -EISDIR);
	assert_null(elfsym_open("/dev/null", &err));
	assert_int_equal(err, -ENOEXEC);
}

/* A sparse file that claims millions of sections must not cost memory for each. */
static void test_many_sections(void **state)
{
	char file[FILE_BYTES];
	Elf64_Ehdr h;
	Elf64_Shdr s = {.sh_size = 10000000};
	int err = 0;

	(void)state;
	make_elf_64(file);
	memcpy(&h, file, sizeof(h));
	h.e_shnum = 0; /* the number is in section 0 */
	memcpy(file, &h, sizeof(h));
	memcpy(file + SECTIONS_AT, &s, sizeof(s));
	write_file(path_of("many"), file, sizeof(file));
	assert_int_equal(truncate(path_of("many"), 1 << 30), 0);
	assert_null(elfsym_open(path_of("many"), &err));
	assert_int_equal(err, -ENOEXEC);
	unlink(path_of("many"));
}

static void test_sort(void **state)
{
	enum { N = 5000 };
	uint64_t *keys = malloc(N * sizeof(*keys));

	(void)state;
	srandom(2);
	for (size_t i = 0; i < N; i++)
		keys[i] = (uint64_t)(random() % 700 * (random() & 1 ? 1 : 5000000)) << 32 | i;
	assert_int_equal(elfsym_sort_keys(keys, N), 0);
	for (size_t i = 1; i < N; i++)
		assert_true(keys[i - 1] < keys[i]); /* stable: the lower half ascends */
	free(keys);
	assert_int_equal(elfsym_sort_keys(NULL, 0), 0);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const files[] = {"made64", "made32", "cut",	"bad",
					    "open",   "text",	"empty"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(path_of(files[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_64),	    cmocka_unit_test(test_made_32),
		cmocka_unit_test(test_all_names),   cmocka_unit_test(test_self),
		cmocka_unit_test(test_libc),	    cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_overwritten), cmocka_unit_test(test_cut_while_open),
		cmocka_unit_test(test_errors),	    cmocka_unit_test(test_many_sections),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
