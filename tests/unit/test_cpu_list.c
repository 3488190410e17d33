/* SPDX-License-Identifier: Apache-2.0 */
/* CPU lists: ranges, gaps, more CPUs than any machine has, and malformed text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "runtime/base/cpu_list.h"

static void assert_cpus(const char *text, const uint32_t *cpus, size_t n)
{
	struct cpu_list list = {0};

	assert_int_equal(cpu_list_parse(&list, text), 0);
	assert_int_equal(list.n, n);
	assert_memory_equal(list.items, cpus, n * sizeof(*cpus));
	vec_free(&list);
}

static void test_lists(void **state)
{
	(void)state;
	assert_cpus("0\n", (uint32_t[]){0}, 1);
	assert_cpus("0-2\n", (uint32_t[]){0, 1, 2}, 3);
	assert_cpus("0,2-3,9", (uint32_t[]){0, 2, 3, 9}, 4);
	assert_cpus("7-7", (uint32_t[]){7}, 1);
}

static void test_many(void **state)
{
	struct cpu_list list = {0};

	(void)state;
	assert_int_equal(cpu_list_parse(&list, "0-8191,16384-20000\n"), 0);
	assert_int_equal(list.n, 8192 + 3617);
	assert_int_equal(list.items[8191], 8191);
	assert_int_equal(list.items[8192], 16384);
	assert_int_equal(list.items[list.n - 1], 20000);
	vec_free(&list);
}

static void test_malformed(void **state)
{
	static const char *const texts[] = {"",	   "\n",  ",",	 "0,",	  "-1", "1-",
					    "3-2", "0 1", "0x1", "0-1-2", "a",	"0-99999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct cpu_list list = {0};

		assert_int_equal(cpu_list_parse(&list, texts[i]), -EINVAL);
		vec_free(&list);
	}
}

static void test_of_this_machine(void **state)
{
	struct cpu_list online = {0}, possible = {0};

	(void)state;
	assert_int_equal(cpu_list_online(&online), 0);
	assert_int_equal(cpu_list_possible(&possible), 0);
	assert_true(online.n >= 1);
	assert_true(possible.n >= online.n);
	vec_free(&online);
	vec_free(&possible);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
