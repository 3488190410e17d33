/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the kernel: those that took turns are extrapolated; what is lacking is told from what
 * is forbidden.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "runtime/run/counters.h"
#include <errno.h>

static void test_turns(void **state)
{
	struct counter c = {.value = 300, .enabled_ns = 4000, .running_ns = 1000};

	(void)state;
	assert_true(counter_value(&c) == 1200.0);
	assert_true(counter_share(&c) == 25.0);
	c.running_ns = 4000;
	assert_true(counter_value(&c) == 300.0);
	assert_true(counter_share(&c) == 100.0);
	c.running_ns = 0; /* it never had its turn */
	assert_true(counter_value(&c) == 300.0);
	assert_true(counter_share(&c) == 0.0);
	c.enabled_ns = 0; /* the command never ran */
	assert_true(counter_share(&c) == 100.0);
}

static void test_reasons(void **state)
{
	static const int lacking[] = {-ENOENT, -ENODEV, -EOPNOTSUPP, -EINVAL};
	struct counter c = {.err = -EACCES};

	(void)state;
	assert_true(counter_is_forbidden(&c));
	assert_false(counter_is_unsupported(&c));
	for (size_t i = 0; i < sizeof(lacking) / sizeof(*lacking); i++) {
		c.err = lacking[i];
		assert_false(counter_is_forbidden(&c));
		assert_true(counter_is_unsupported(&c));
	}
	c.err = -EMFILE;
	assert_false(counter_is_forbidden(&c) || counter_is_unsupported(&c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
