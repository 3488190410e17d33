/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser/base/source.c: lines, locations, limits.
 */
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/base/source.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* after what it needs */
#include <cmocka.h>

static void test_places(void **state)
{
	struct arena *a = arena_new();
	struct source *s = source_from_text(a, "x.bt", "ab\n\ncde", 7);
	struct place p;
	uint32_t len;

	(void)state;
	assert_int_equal(s->n_lines, 3);
	p = source_place(s, 0);
	assert_int_equal(p.line, 1);
	assert_int_equal(p.col, 1);
	p = source_place(s, 2); /* the newline belongs to its line */
	assert_int_equal(p.line, 1);
	assert_int_equal(p.col, 3);
	p = source_place(s, 3);
	assert_int_equal(p.line, 2);
	p = source_place(s, 99); /* beyond the end: the end */
	assert_int_equal(p.line, 3);
	assert_int_equal(p.col, 4);
	assert_string_equal(p.file, "x.bt");
	assert_memory_equal(source_line(s, 3, &len), "cde", 3);
	assert_int_equal(len, 3);
	source_line(s, 2, &len);
	assert_int_equal(len, 0);
	source_line(s, 4, &len);
	assert_int_equal(len, 0);
	arena_free(a);
}

static void test_two_nuls(void **state)
{
	struct arena *a = arena_new();
	struct source *s = source_from_text(a, "x", "abc", 2);

	(void)state;
	assert_int_equal(s->len, 2);
	assert_memory_equal(s->text, "ab\0", 4);
	arena_free(a);
}

static void test_too_long(void **state)
{
	struct arena *a = arena_new();
	char *text = calloc(1, LIMIT_SCRIPT_BYTES + 1);

	(void)state;
	assert_non_null(source_from_text(a, "x", text, LIMIT_SCRIPT_BYTES));
	errno = 0;
	assert_null(source_from_text(a, "x", text, LIMIT_SCRIPT_BYTES + 1));
	assert_int_equal(errno, EFBIG);
	errno = 0;
	assert_null(source_from_file(a, "/nonexistent/x.bt"));
	assert_int_equal(errno, ENOENT);
	assert_null(source_from_file(a, "/"));
	assert_int_equal(errno, EISDIR);
	free(text);
	arena_free(a);
}

static void test_span_join(void **state)
{
	struct span s = span_join((struct span){5, 9}, (struct span){2, 6});

	(void)state;
	assert_int_equal(s.start, 2);
	assert_int_equal(s.end, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_two_nuls),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_span_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
