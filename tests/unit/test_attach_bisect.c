/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of targets of which the kernel refuses some: all others are attached exactly once, and the
 * refused ones are reported.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/attach/attach.h"

enum { MANY = 1000 };

struct list {
	bool is_bad[MANY];
	uint8_t n_attached[MANY];
	int err, calls;
	uint32_t batch;
};

static int attach_some(void *ctx, uint32_t first, uint32_t n)
{
	struct list *l = ctx;

	l->calls++;
	for (uint32_t i = first; i < first + n; i++)
		if (l->is_bad[i])
			return l->err;
	for (uint32_t i = first; i < first + n; i++)
		l->n_attached[i]++;
	return 0;
}

static void check(struct list *l, uint32_t n, uint32_t n_bad)
{
	struct attach_refused r;

	assert_int_equal(attach_bisect(attach_some, l, n, l->batch, &r), 0);
	assert_int_equal(r.n, n_bad);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(l->n_attached[i], !l->is_bad[i]);
	for (uint32_t i = 0; i < r.n; i++)
		assert_true(l->is_bad[r.items[i]]);
	free(r.items);
}

static void test_none_refused(void **state)
{
	struct list l = {.err = -EINVAL};

	(void)state;
	check(&l, MANY, 0);
	assert_int_equal(l.calls, 1);
	check(&(struct list){.err = -EINVAL}, 1, 0);
}

static void test_some_refused(void **state)
{
	struct list l = {.err = -524};

	(void)state;
	l.is_bad[0] = l.is_bad[1] = l.is_bad[500] = l.is_bad[MANY - 1] = true;
	check(&l, MANY, 4);
	assert_true(l.calls < 80); /* by halves, not one by one */
}

/* The size grows: these are fast. */
static void test_batches(void **state)
{
	struct list l = {.err = -524, .batch = 10};

	(void)state;
	check(&l, MANY, 0);
	assert_in_range(l.calls, 2, 10);
	l = (struct list){.err = -524, .batch = 10};
	l.is_bad[5] = l.is_bad[MANY - 1] = true;
	check(&l, MANY, 2);
}

static void test_all_refused(void **state)
{
	struct attach_refused r;
	struct list l = {.err = -EINVAL};

	(void)state;
	memset(l.is_bad, true, sizeof(l.is_bad));
	assert_int_equal(attach_bisect(attach_some, &l, MANY, 0, &r), -EINVAL);
	assert_true(l.calls < 300); /* it is given up */
	free(r.items);
	l.is_bad[1] = false;
	assert_int_equal(attach_bisect(attach_some, &l, 1, 0, &r), -EINVAL);
	free(r.items);
}

/* What is no matter of single functions is not tried again. */
static void test_our_own_trouble(void **state)
{
	struct attach_refused r;
	struct list l = {.err = -EMFILE};

	(void)state;
	l.is_bad[3] = true;
	assert_int_equal(attach_bisect(attach_some, &l, MANY, 0, &r), -EMFILE);
	assert_int_equal(l.calls, 1);
	free(r.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_refused),	cmocka_unit_test(test_some_refused),
		cmocka_unit_test(test_batches),		cmocka_unit_test(test_all_refused),
		cmocka_unit_test(test_our_own_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
