/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library "bpfvm" by itself: this program links it and the libraries below it, and runs the
 * programs of an object, whose path is its argument.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "runtime/base/map_calls.h"
#include "runtime/interp/interp.h"

static char elf[1 << 16];
static size_t len;

static void programs(void **state)
{
	struct bpf_object *object = bpf_object__open_mem(elf, len, NULL);
	uint32_t result, key = 2;
	struct interp *p;
	uint64_t n = 0;

	assert_non_null(object);
	p = interp_open(object, elf, len);
	assert_non_null(p);
	for (uint32_t i = 1; i <= 3; i++) {
		assert_int_equal(interp_run(p, "count", &result), 0);
		assert_int_equal(result, i);
	}
	assert_int_equal(map_lookup(interp_map_fd(p, "counts"), &key, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(interp_map_fd(p, "none"), -1);
	assert_int_equal(interp_run(p, "none", &result), -ENOENT);
	assert_int_equal(interp_run(p, "read_wild", &result), -EFAULT);
	assert_non_null(strstr(interp_fault(p).text, "memory"));
	interp_close(p);
	bpf_object__close(object);
}

/* Sections of code that overlap hold more instructions than the file has room for. */
static void sections_overlap(void **state)
{
	struct bpf_object *object = bpf_object__open_mem(elf, len, NULL);
	static char damaged[sizeof(elf)];
	Elf64_Ehdr *h = (Elf64_Ehdr *)damaged;
	Elf64_Shdr *sections;
	struct interp *p;
	uint32_t n = 0;

	memcpy(damaged, elf, len);
	sections = (Elf64_Shdr *)(damaged + h->e_shoff);
	for (uint32_t i = 0; i < h->e_shnum; i++)
		if (sections[i].sh_flags & SHF_ALLOC && sections[i].sh_size < 100) {
			sections[i].sh_flags |= SHF_EXECINSTR;
			sections[i].sh_offset = 0;
			sections[i].sh_size = len & ~(size_t)7;
			n++;
		}
	assert_true(n > 1);
	p = interp_open(object, damaged, len);
	if (p)
		interp_close(p);
	bpf_object__close(object);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(programs),
					   cmocka_unit_test(sections_overlap)};
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;

	if (!f)
		return 1;
	len = fread(elf, 1, sizeof(elf), f);
	fclose(f);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
