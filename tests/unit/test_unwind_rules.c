/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary of unwind rules: fixed indexes, equal rules, and what happens when it is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "runtime/unwind/rules.h"

static struct unwind_rule numbered(int i)
{
	return (struct unwind_rule){.cfa = UNWIND_SP, .cfa_offset = 8 * i};
}

static void test_fixed(void **state)
{
	struct unwind_rule none = {.cfa = UNWIND_NO_RULE}, end = {.cfa = UNWIND_END};
	struct unwind_rule unsupported = {.cfa = UNWIND_UNSUPPORTED};
	struct unwind_rules r = {0};

	(void)state;
	assert_int_equal(unwind_rules_intern(&r, end), UNWIND_RULE_END);
	assert_int_equal(unwind_rules_intern(&r, none), UNWIND_RULE_NONE);
	assert_int_equal(unwind_rules_intern(&r, unsupported), UNWIND_RULE_UNSUPPORTED);
	assert_int_equal(r.list.n, 3);
	assert_int_equal(r.list.items[UNWIND_RULE_NONE].cfa, UNWIND_NO_RULE);
	assert_int_equal(r.list.items[UNWIND_RULE_END].cfa, UNWIND_END);
	unwind_rules_free(&r);
}

static void test_append(void **state)
{
	struct unwind_rules r = {0};

	(void)state;
	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < 1000; i++)
			assert_int_equal(unwind_rules_intern(&r, numbered(i)), 3 + i);
	assert_int_equal(r.list.n, 1003);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(r.list.items[3 + i].cfa_offset, 8 * i);
	/* every member counts */
	assert_int_equal(unwind_rules_intern(&r, (struct unwind_rule){.cfa = UNWIND_FP}), 1003);
	assert_int_equal(unwind_rules_intern(&r, (struct unwind_rule){UNWIND_FP, 1, 0, 0}), 1004);
	assert_int_equal(unwind_rules_intern(&r, (struct unwind_rule){UNWIND_FP, 1, 1, 0}), 1005);
	unwind_rules_free(&r);
}

static void test_full(void **state)
{
	struct unwind_rules r = {0};
	int i = 0;

	(void)state;
	while (r.list.n < UNWIND_RULES) {
		if (i % UNWIND_RULES_OF_FILE == 0)
			unwind_rules_begin_file(&r);
		assert_true(unwind_rules_intern(&r, numbered(i++)) > UNWIND_RULE_END);
	}
	assert_false(unwind_rules_share_is_used(&r));
	assert_int_equal(r.n_refused, 0);
	assert_int_equal(unwind_rules_intern(&r, numbered(i)), UNWIND_RULE_UNSUPPORTED);
	assert_int_equal(unwind_rules_intern(&r, numbered(i)), UNWIND_RULE_UNSUPPORTED);
	assert_int_equal(r.n_refused, 2);
	assert_int_equal(r.list.n, UNWIND_RULES);
	assert_int_equal(unwind_rules_intern(&r, numbered(7)), 3 + 7);
	unwind_rules_free(&r);
}

/* A file cannot take the room of the others, and rules that they have cost it nothing. */
static void test_share(void **state)
{
	struct unwind_rules r = {0};
	int i = 0;

	(void)state;
	unwind_rules_begin_file(&r);
	while (!unwind_rules_share_is_used(&r))
		assert_true(unwind_rules_intern(&r, numbered(i++)) > UNWIND_RULE_END);
	assert_int_equal(r.n_refused, 0);
	assert_int_equal(unwind_rules_intern(&r, numbered(i)), UNWIND_RULE_UNSUPPORTED);
	assert_int_equal(unwind_rules_intern(&r, numbered(7)), 3 + 7);
	assert_int_equal(r.n_refused, 1);
	unwind_rules_begin_file(&r);
	assert_int_equal(r.n_refused, 0);
	assert_int_equal(unwind_rules_intern(&r, numbered(i)), 3 + i);
	assert_int_equal(unwind_rules_intern(&r, numbered(7)), 3 + 7);
	unwind_rules_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
