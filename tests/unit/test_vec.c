/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growable array: growth, bulk changes, and that running out of memory is reported and loses
 * nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static bool has_memory = true;

/* The sanitizers' allocators abort on sizes beyond all bounds. */
static void *reallocarray_or_fail(void *p, size_t n, size_t size)
{
	return has_memory && n < PTRDIFF_MAX / size ? reallocarray(p, n, size) : NULL;
}
#define reallocarray reallocarray_or_fail
#include "runtime/base/vec.h"

struct pair {
	int a, b;
};

static void test_push(void **state)
{
	VEC(struct pair) v = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(vec_push(&v, (struct pair){i, -i}), 0);
	assert_int_equal(v.n, 1000);
	assert_true(v.capacity >= 1000 && v.capacity < 2000);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(v.items[i].a, i);
		assert_int_equal(v.items[i].b, -i);
	}
	vec_free(&v);
	assert_null(v.items);
	assert_int_equal(v.n, 0);
	assert_int_equal(v.capacity, 0);
}

static void test_reserve(void **state)
{
	VEC(int) v = {0};

	(void)state;
	assert_int_equal(vec_reserve(&v, 0), 0);
	assert_null(v.items);
	assert_int_equal(vec_reserve(&v, 3), 0);
	assert_int_equal(v.capacity, 3);
	assert_int_equal(vec_reserve(&v, 2), 0);
	assert_int_equal(v.capacity, 3);
	assert_int_equal(vec_reserve(&v, 4), 0); /* at least twice as many */
	assert_int_equal(v.capacity, 6);
	assert_int_equal(vec_reserve(&v, 100), 0);
	assert_int_equal(v.capacity, 100);
	assert_int_equal(v.n, 0);
	vec_free(&v);
}

static void test_append_remove(void **state)
{
	static const int values[] = {1, 2, 3, 4, 5};
	VEC(int) v = {0};

	(void)state;
	assert_int_equal(vec_append(&v, values, 0), 0);
	assert_int_equal(v.n, 0);
	assert_int_equal(vec_append(&v, values, 5), 0);
	assert_int_equal(vec_append(&v, values, 2), 0);
	assert_int_equal(v.n, 7);
	vec_remove(&v, 1, 3); /* 1 5 1 2 */
	assert_int_equal(v.n, 4);
	assert_int_equal(v.items[0], 1);
	assert_int_equal(v.items[1], 5);
	assert_int_equal(v.items[3], 2);
	vec_remove(&v, 2, 2);
	assert_int_equal(v.n, 2);
	assert_int_equal(v.items[1], 5);
	vec_remove(&v, 0, 0);
	assert_int_equal(v.n, 2);
	vec_shrink(&v);
	assert_int_equal(v.capacity, 2);
	assert_int_equal(v.items[1], 5);
	vec_free(&v);
}

static void test_no_memory(void **state)
{
	static const int values[] = {1, 2, 3, 4, 5};
	VEC(int) v = {0};

	(void)state;
	has_memory = false;
	assert_int_equal(vec_push(&v, 1), -ENOMEM);
	assert_int_equal(v.n, 0);
	has_memory = true;
	assert_int_equal(vec_append(&v, values, 5), 0);
	has_memory = false;
	assert_int_equal(vec_push(&v, 6), -ENOMEM);
	assert_int_equal(vec_append(&v, values, 1), -ENOMEM);
	assert_int_equal(vec_reserve(&v, 6), -ENOMEM);
	assert_int_equal(vec_reserve(&v, 5), 0); /* needs none */
	assert_int_equal(v.n, 5);
	assert_int_equal(v.capacity, 5);
	vec_remove(&v, 0, 1);
	vec_shrink(&v); /* stays as large as it is */
	assert_int_equal(v.capacity, 5);
	assert_int_equal(v.items[3], 5);
	has_memory = true;
	vec_free(&v);
}

/* Sizes whose product overflows. */
static void test_too_many(void **state)
{
	VEC(struct pair) v = {0};

	(void)state;
	assert_int_equal(vec_reserve(&v, SIZE_MAX / 2), -ENOMEM);
	assert_int_equal(vec_push(&v, (struct pair){1, 2}), 0);
	assert_int_equal(vec_reserve(&v, SIZE_MAX), -ENOMEM);
	assert_int_equal(v.items[0].b, 2);
	vec_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push),	      cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_append_remove), cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
