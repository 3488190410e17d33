/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which limit is named for which error. The limits of this process are set, those of its cgroup are
 * as they are.
 */
#include "runtime/base/limit_hint.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

static void set_limit(int resource, rlim_t value)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(resource, &limit), 0);
	limit.rlim_cur = value;
	assert_int_equal(setrlimit(resource, &limit), 0);
}

static void test_files(void **state)
{
	(void)state;
	set_limit(RLIMIT_NOFILE, 77);
	assert_string_equal(limit_hint(-EMFILE), " (the limit is 77: ulimit -n)");
	assert_non_null(strstr(limit_hint(-ENFILE), "fs.file-max"));
	assert_non_null(strstr(limit_hint(-EFBIG), "ulimit -f"));
	assert_string_equal(limit_hint(-EINVAL), "");
	assert_string_equal(limit_hint(-EAGAIN), "");
	assert_non_null(strstr(limit_hint_process(-EAGAIN), "ulimit -u"));
	assert_string_equal(limit_hint_process(-EMFILE), " (the limit is 77: ulimit -n)");
}

static void test_memory(void **state)
{
	uint64_t before = limit_memory();

	(void)state;
#ifndef SONDE_ASAN /* which reserves terabytes */
	set_limit(RLIMIT_AS, 100 << 20);
	if (before > 100 << 20) {
		assert_int_equal(limit_memory(), 100 << 20);
		assert_true(limit_is_virtual());
		assert_string_equal(limit_hint(-ENOMEM),
				    " (the limit of virtual memory is 100 MiB: ulimit -v)");
	}
	set_limit(RLIMIT_AS, RLIM_INFINITY);
#endif
	assert_int_equal(limit_memory(), before);
	assert_false(limit_is_virtual());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
