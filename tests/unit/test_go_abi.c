/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of Go: the version in .go.buildinfo in its two forms, which conventions a version has,
 * and which functions of a program are of Go. Registers and the entry's place are in
 * test_uprobe_entry.c and live/go.test.
 */
#include "runtime/elf/go_abi.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MAGIC "\xff Go buildinf:"

static void test_versions(void **state)
{
	(void)state;
	assert_int_equal(go_minor_version("go1.19.8"), 19);
	assert_int_equal(go_minor_version("go1.4"), 4);
	assert_int_equal(go_minor_version("devel go1.21-0b1c Tue Mar 1"), 21);
	assert_int_equal(go_minor_version("devel +b7a85e0003"), -1);
	assert_int_equal(go_minor_version("go1."), -1);
	assert_int_equal(go_minor_version(""), -1);
	assert_int_equal(go_version_abi(16, EM_X86_64), USER_ABI_GO_STACK);
	assert_int_equal(go_version_abi(17, EM_X86_64), USER_ABI_GO);
	assert_int_equal(go_version_abi(17, EM_AARCH64), USER_ABI_GO_STACK);
	assert_int_equal(go_version_abi(18, EM_AARCH64), USER_ABI_GO);
	assert_int_equal(go_version_abi(-1, EM_X86_64), USER_ABI_GO_UNKNOWN);
	assert_int_equal(go_version_abi(19, EM_386), USER_ABI_GO_UNKNOWN);
}

static void test_buildinfo(void **state)
{
	static const char inlined[] = MAGIC "\x08\x02" /* size of a pointer, flags */
					    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
					    "\x08go1.19.8";
	static const char pointed[] = MAGIC "\x08\0"
					    "\x10\x20\x40\0\0\0\0\0\0\0\0\0\0\0\0";
	static const char big_endian[] = MAGIC "\x08\x01"
					       "\x10\x20\x40\0\0\0\0\0\0\0\0\0\0\0\0";
	const uint8_t *s = (const uint8_t *)inlined;
	uint64_t pointer = 1;
	char text[16];

	(void)state;
	assert_int_equal(go_buildinfo(s, sizeof(inlined), text, sizeof(text), &pointer), 0);
	assert_string_equal(text, "go1.19.8");
	assert_int_equal(pointer, 0);
	assert_int_equal(go_buildinfo(s, 40, text, sizeof(text), &pointer), -1); /* cut off */
	assert_int_equal(go_buildinfo(s, 32, text, sizeof(text), &pointer), -1);
	assert_int_equal(go_buildinfo(s, 0, text, sizeof(text), &pointer), -1);
	assert_int_equal(go_buildinfo(s, sizeof(inlined), text, 8, &pointer), -1);
	s = (const uint8_t *)pointed;
	assert_int_equal(go_buildinfo(s, sizeof(pointed), text, sizeof(text), &pointer), -1);
	assert_int_equal(pointer, 0x402010);
	s = (const uint8_t *)big_endian;
	assert_int_equal(go_buildinfo(s, sizeof(big_endian), text, sizeof(text), &pointer), -1);
	assert_int_equal(pointer, 0);
	s = (const uint8_t *)"something else, 32 bytes or more ";
	assert_int_equal(go_buildinfo(s, 33, text, sizeof(text), &pointer), -1);
	assert_int_equal(pointer, 0);
}

static void test_symbols(void **state)
{
	static const struct {
		const char *symbol;
		enum user_abi abi;
	} rows[] = {
		{"main.main", USER_ABI_GO},
		{"main.(*shelf).put", USER_ABI_GO},
		{"github.com/a/b.F[go.shape.int_0]", USER_ABI_GO},
		{"type..eq.main.shelf", USER_ABI_GO},
		{"main.cold", USER_ABI_GO},
		{"main.part", USER_ABI_GO},
		{"main.add.abi0", USER_ABI_GO_STACK},
		{"main", USER_ABI_C},
		{"helper.part.0", USER_ABI_C},
		{"helper.constprop.1", USER_ABI_C},
		{"_cgo_0123_Cfunc_f", USER_ABI_C},
		{"x_cgo_init.cold", USER_ABI_C},
		{"_ZN2ns4findEi", USER_ABI_C},
		{"", USER_ABI_GO},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(go_symbol_abi(USER_ABI_GO, rows[i].symbol), rows[i].abi);
		assert_int_equal(go_symbol_abi(USER_ABI_C, rows[i].symbol), USER_ABI_C);
	}
	assert_int_equal(go_symbol_abi(USER_ABI_GO_UNKNOWN, "main.main"), USER_ABI_GO_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_buildinfo),
		cmocka_unit_test(test_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
