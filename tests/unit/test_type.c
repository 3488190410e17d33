/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types: the table of type_unify (both ways round), type_str, sizes.
 */
#include "parser/base/arena.h"
#include "parser/lang/type.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct arena *make(void **state)
{
	*state = arena_new();
	return *state;
}

/* Both orders must agree; NULL: there is none. */
static void check_unify(struct arena *a, const struct type *x, const struct type *y,
			const char *want)
{
	const struct type *one = type_unify(x, y), *other = type_unify(y, x);

	print_message("%s, %s\n", type_str(a, x), type_str(a, y));
	if (!want) {
		assert_null(one);
		assert_null(other);
		return;
	}
	assert_string_equal(type_str(a, one), want);
	assert_string_equal(type_str(a, other), want);
}

static void test_unify_ints(void **state)
{
	static const struct {
		uint32_t x, y;
		bool x_signed, y_signed;
		const char *want;
	} rows[] = {
		{1, 1, false, false, "uint8"}, {1, 8, false, false, "uint64"},
		{2, 4, true, true, "int32"},   {8, 8, true, true, "int64"},
		{1, 1, true, false, "int16"},  {2, 1, true, false, "int16"}, /* already larger */
		{8, 4, true, false, "int64"},  {4, 4, true, false, "int64"},
		{1, 4, true, false, "int64"},  {1, 8, true, false, "int64"}, /* there is no more */
		{4, 2, true, false, "int32"},  {2, 2, true, false, "int32"},
	};
	struct arena *a = make(state);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_unify(a, type_int(rows[i].x, rows[i].x_signed),
			    type_int(rows[i].y, rows[i].y_signed), rows[i].want);
	arena_free(a);
}

static void test_unify_others(void **state)
{
	struct arena *a = make(state);
	const struct type *u32 = type_int(4, false), *s5 = type_string(a, 5),
			  *s9 = type_string(a, 9);

	check_unify(a, &type_bool, &type_bool, "bool");
	check_unify(a, &type_bool, u32, "uint32");
	check_unify(a, s5, s9, "string[9]");
	check_unify(a, s5, type_string(a, 5), "string[5]");
	check_unify(a, s5, u32, NULL);
	check_unify(a, s5, &type_bool, NULL);
	check_unify(a, &type_kstack, &type_kstack, "kstack");
	check_unify(a, &type_kstack, &type_ustack, NULL);
	check_unify(a, &type_kstack, u32, NULL);
	check_unify(a, &type_error, s5, "error");
	check_unify(a, &type_error, &type_kstack, "error");
	check_unify(a, type_agg(AGG_SUM, true), type_agg(AGG_SUM, false), "sum_t");
	check_unify(a, type_agg(AGG_SUM, false), type_agg(AGG_SUM, false), "usum_t");
	check_unify(a, type_agg(AGG_SUM, true), type_agg(AGG_COUNT, false), NULL);
	check_unify(a, type_agg(AGG_COUNT, false), u32, NULL);
	arena_free(a);
}

static void test_names(void **state)
{
	struct arena *a = make(state);

	assert_string_equal(type_str(a, NULL), "?");
	assert_string_equal(type_str(a, &type_void), "void");
	assert_string_equal(type_str(a, &type_ustack), "ustack");
	assert_string_equal(type_str(a, type_int(2, false)), "uint16");
	assert_string_equal(type_str(a, type_int(1, true)), "int8");
	assert_string_equal(type_str(a, type_string(a, 16)), "string[16]");
	assert_string_equal(type_str(a, type_agg(AGG_COUNT, false)), "count_t");
	arena_free(a);
}

static void test_equal(void **state)
{
	struct arena *a = make(state);

	assert_true(type_equal(type_string(a, 4), type_string(a, 4)));
	assert_false(type_equal(type_string(a, 4), type_string(a, 5)));
	assert_false(type_equal(type_int(4, true), type_int(4, false)));
	assert_false(type_equal(&type_kstack, &type_ustack));
	assert_true(type_is_integral(&type_bool) && type_is_integral(type_int(1, true)));
	assert_false(type_is_integral(&type_kstack) || type_is_integral(&type_error));
	for (uint32_t size = 1; size <= 8; size *= 2) {
		assert_int_equal(type_int(size, true)->size, size);
		assert_int_equal(type_int(size, true)->align, size);
		assert_true(type_int(size, true)->is_signed);
		assert_false(type_int(size, false)->is_signed);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unify_ints),
		cmocka_unit_test(test_unify_others),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
