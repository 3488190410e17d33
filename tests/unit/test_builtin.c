/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of builtins.def: each has a unique name, a valid signature with that name, a doc line
 * and at least one probe type. Also the parser of signatures.
 */
#include "parser/lang/builtin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void test_rows(void **state)
{
	struct signature sig;

	(void)state;
	for (uint32_t i = 0; i < BI_COUNT; i++) {
		const struct builtin *b = &builtins[i];
		uint32_t n_types = 0;

		print_message("%s\n", b->name);
		assert_int_equal(b->id, i);
		assert_true(builtin_signature(b, &sig));    /* compares the names too */
		assert_ptr_equal(builtin_find(b->name), b); /* the first of that name: unique */
		assert_non_null(b->doc);
		assert_true(strlen(b->doc) > 10);
		assert_true(b->where != 0);
		for (uint32_t j = 0; j < PROBE_COUNT; j++)
			n_types += builtin_exists_in(b, j);
		assert_true(n_types > 0);
		if (b->kind != BUILTIN_VAR) /* of a builtin, arguments are optional */
			assert_non_null(strchr(b->signature, '('));
		else if (strchr(b->signature, '('))
			assert_true(sig.params[0].is_optional);
		assert_true(sig.result || b->check != chk_none); /* "any" needs someone who knows */
		assert_true((b->agg != AGG_NONE) == (b->kind == BUILTIN_AGG));
	}
	assert_null(builtin_find("nothing"));
	assert_null(builtin_find(""));
}

static bool read_as(const char *name, const char *text, struct signature *sig)
{
	struct builtin b = {.name = name, .signature = text};

	return builtin_signature(&b, sig);
}

static void test_reader(void **state)
{
	struct signature sig;

	(void)state;
	assert_true(read_as("f", "uint16 f(const string a, int b, [map c], ...)", &sig));
	assert_ptr_equal(sig.result, type_int(2, false));
	assert_int_equal(sig.n_params, 3);
	assert_true(sig.has_rest);
	assert_int_equal(sig.params[0].kind, PARAM_STRING);
	assert_true(sig.params[0].is_const && !sig.params[0].is_optional);
	assert_string_equal(sig.params[1].name, "b");
	assert_int_equal(sig.params[1].kind, PARAM_INT);
	assert_true(sig.params[2].is_optional && !sig.params[2].is_const);
	assert_string_equal(sig.params[2].name, "c");
	assert_true(read_as("v", "string[16] v", &sig));
	assert_int_equal(sig.result->kind, TY_STRING);
	assert_int_equal(sig.result->size, 16);
	assert_true(read_as("v", "any v", &sig));
	assert_null(sig.result);
	assert_true(read_as("f", "void f()", &sig));
	assert_ptr_equal(sig.result, &type_void);
	assert_int_equal(sig.n_params, 0);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"",
		"f",
		"int12 f",
		"word f",
		"void g()",
		"void f(",
		"void f(int a",
		"void f(float a)",
		"void f(int a) x",
		"void f(int a, int b, int c, int d, int e)",
	};
	struct signature sig;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		print_message("'%s'\n", bad[i]);
		assert_false(read_as("f", bad[i], &sig));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_reader),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
