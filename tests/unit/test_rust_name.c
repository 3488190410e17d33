/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling of Rust functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "parser/attach/rust_name.h"

static void test_plain(void **state)
{
	static const struct {
		const char *name, *plain; /* NULL: as it is */
	} rows[] = {
		{"<demo::Counter>::add", "demo::Counter::add"},
		{"<demo::Square as demo::Shape>::edges", "demo::Square::edges"},
		{"<demo::Box<u32> as demo::Shape<u8>>::edges", "demo::Box<u32>::edges"},
		{"<fn(u32) -> u8 as demo::Call>::call", "fn(u32) -> u8::call"},
		{"demo::twice::", "demo::twice"},
		{"<demo::Counter>::add::", "demo::Counter::add"},
		{"demo::main", NULL},
		{"ns::f", NULL},
		{"<", NULL},
		{"<>", NULL},
		{"<>::", "<>"},
		{"<a", NULL},
		{"<a as b", NULL},
		{"<a>b", NULL},
		{"::", NULL},
		{"", NULL},
	};
	char name[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("%s\n", rows[i].name);
		snprintf(name, sizeof(name), "%s", rows[i].name);
		assert_int_equal(rust_name_plain(name), rows[i].plain != NULL);
		assert_string_equal(name, rows[i].plain ? rows[i].plain : rows[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
