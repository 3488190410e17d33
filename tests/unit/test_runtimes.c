/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpreters in files of this machine: the rows of the function that interprets have a mark, of
 * CPython also in its part that is executed seldom, which a stripped file does not name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/elf/elfsym.h"
#include "runtime/unwind/runtimes.h"
#include "tests/unit/unwind_lookup.h"

static void each_python(glob_t *out)
{
	char path[4096];

	glob("/usr/bin/python3.1[0-4]", 0, NULL, out);
	snprintf(path, sizeof(path), "%s/.pyenv/versions/*/lib/libpython3.{8,9,1[0-4]}.so.1.0",
		 getenv("HOME") ?: "");
	glob(path, GLOB_APPEND | GLOB_BRACE, NULL, out);
}

static bool is_marked(const struct unwind_rule *r)
{
	return r->cfa == UNWIND_RUN_SP || r->cfa == UNWIND_RUN_FP;
}

static void check_marks(const struct unwind_table *t, const struct unwind_rules *rules,
			uint64_t start, uint64_t end, bool are_marked)
{
	print_message("%s %lx-%lx\n", are_marked ? "marked" : "not marked", start, end);
	for (uint64_t at = start; at < end; at++)
		assert_int_equal(is_marked(unwind_table_rule(t, rules, at)), are_marked);
}

/* Of ".../python3.11" and ".../libpython3.11.so.1.0". */
static int minor_of(const char *path)
{
	return atoi(strstr(strrchr(path, '/'), "python3.") + strlen("python3."));
}

static void check_file(const char *path)
{
	uint64_t at, offset, size, from, n_marked = 0;
	struct unwind_rules rules = {0};
	struct unwind_table t;
	struct elfsym *e;
	int fd = open(path, O_RDONLY), err, minor = minor_of(path);

	assert_true(fd >= 0);
	print_message("%s\n", path);
	assert_int_equal(unwind_table_read(fd, &rules, &t), 0);
	assert_int_equal(t.runtime, minor < 10 ? (int)UNWIND_CPYTHON_3_8
					       : (int)UNWIND_CPYTHON_3_10 + minor - 10);
	e = elfsym_open_fd(fd, path, &err);
	assert_non_null(e);
	assert_int_equal(elfsym_by_name(e, "_PyEval_EvalFrameDefault", &at, &offset, &size), 0);
	from = at;
	if (minor < 11) /* not before it has stored where its frame's variables are */
		while (from < at + 1024 && !is_marked(unwind_table_rule(&t, &rules, from)))
			from++;
	assert_int_equal(from > at, minor < 11);
	assert_int_equal(t.runtime_variable && t.runtime_variable < UNWIND_SLOT_MOST, minor < 11);
	check_marks(&t, &rules, from, at + size, true);
	check_marks(&t, &rules, at - 1, from, false);
	/* one of few bytes, such as a trap, calls nothing */
	if (!elfsym_by_name(e, "_PyEval_EvalFrameDefault.cold", &at, &offset, &size) && size > 64) {
		check_marks(&t, &rules, at, at + size, true);
		check_marks(&t, &rules, at - 1, at, false);
		check_marks(&t, &rules, at + size, at + size + 1, false);
	}
	for (uint32_t i = 0; i < rules.list.n; i++)
		n_marked += is_marked(&rules.list.items[i]);
	assert_in_range(n_marked, 1, 200);
	elfsym_close(e);
	unwind_table_free(&t);
	unwind_rules_free(&rules);
}

static void pythons_have_marks(void **state)
{
	glob_t found = {0};

	each_python(&found);
	if (!found.gl_pathc)
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	globfree(&found);
}

static void others_have_marks(void **state)
{
	static const struct {
		const char *path, *function, *variable;
		enum unwind_runtime runtime;
	} files[] = {
		{"/usr/bin/php8.2", "execute_ex", "executor_globals", UNWIND_PHP_8_2},
		{"/usr/sbin/php-fpm8.2", "execute_ex", "executor_globals", UNWIND_PHP_8_2},
		{"/usr/bin/perl5.36.0", "Perl_runops_standard", "PL_thr_key", UNWIND_PERL_5_36},
		{"/usr/bin/perl5.40.1", "Perl_runops_standard", "PL_thr_key", UNWIND_PERL_5_40},
	};
	uint64_t at, offset, size;
	uint32_t n = 0;
	int err;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct unwind_rules rules = {0};
		struct unwind_table t;
		struct elfsym *e;
		int fd = open(files[i].path, O_RDONLY);

		if (fd < 0)
			continue;
		n++;
		assert_int_equal(unwind_table_read(fd, &rules, &t), 0);
		assert_int_equal(t.runtime, files[i].runtime);
		e = elfsym_open_fd(fd, files[i].path, &err);
		assert_non_null(e);
		assert_int_equal(elfsym_object(e, files[i].variable, &at, &size), 0);
		assert_int_equal(t.runtime_variable, at);
		assert_int_equal(elfsym_by_name(e, files[i].function, &at, &offset, &size), 0);
		check_marks(&t, &rules, at, at + size, true);
		check_marks(&t, &rules, at - 1, at, false);
		elfsym_close(e);
		unwind_table_free(&t);
		unwind_rules_free(&rules);
	}
	if (!n)
		skip();
}

static void other_files_have_none(void **state)
{
	struct unwind_rules rules = {0};
	struct unwind_table t;
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(unwind_table_read(fd, &rules, &t), 0);
	assert_int_equal(t.runtime, UNWIND_NO_RUNTIME);
	for (uint32_t i = 0; i < rules.list.n; i++)
		assert_false(is_marked(&rules.list.items[i]));
	unwind_table_free(&t);
	unwind_rules_free(&rules);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pythons_have_marks),
		cmocka_unit_test(others_have_marks),
		cmocka_unit_test(other_files_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
