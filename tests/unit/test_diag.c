/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser/base/diag.c: the printed form to the byte, order, duplicates, the limit, did-you-mean.
 */
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/base/nearest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* after what it needs */
#include <cmocka.h>

struct world {
	struct arena *arena;
	struct diags d;
};

static struct world open_world(const char *text)
{
	struct world w = {.arena = arena_new()};

	w.d.arena = w.arena;
	w.d.source = source_from_text(w.arena, "x.bt", text, strlen(text));
	return w;
}

/* What is printed must be `expected`; closes the world. */
static void check(struct world *w, bool colour, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	diags_print(&w->d, out, colour);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	arena_free(w->arena);
}

static void test_form(void **state)
{
	struct world w = open_world("a {\n\t@ = cuont();\n}\n");

	(void)state;
	assert_int_equal(diag_error(&w.d, (struct span){9, 14}, "unknown", "unknown '%s'", "cuont"),
			 -1);
	diag_note(&w.d, (struct span){0, 1}, "in this probe");
	diag_hint(&w.d, "did you mean '%s'?", "count");
	check(&w, false,
	      "x.bt:2:6-11: error: unknown 'cuont' [unknown]\n"
	      "  \t@ = cuont();\n"
	      "  \t    ~~~~~\n"
	      "x.bt:1:1-2: note: in this probe\n"
	      "  a {\n"
	      "  ~\n"
	      "hint: did you mean 'count'?\n");
}

static void test_lines_and_order(void **state)
{
	struct world w = open_world("one\r\ntwo \xc3\xa9 x\nthree");

	(void)state;
	diag_warning(&w.d, (struct span){12, 13}, "b", "second");
	diag_error(&w.d, (struct span){1, 7}, "a", "first");
	diag_error(&w.d, (struct span){19, 19}, "c", "at the end");
	assert_int_equal(w.d.n_errors, 2);
	check(&w, false,
	      "x.bt:1-2: error: first [a]\n  one\n  two \xc3\xa9 x\n"
	      "x.bt:2:8-9: warning: second [b]\n  two \xc3\xa9 x\n        ~\n"
	      "x.bt:3:6-7: error: at the end [c]\n  three\n       ~\n");
}

static void test_repetition(void **state)
{
	struct world w = open_world("abc");

	(void)state;
	diag_error(&w.d, (struct span){0, 1}, "a", "first");
	diag_error(&w.d, (struct span){0, 1}, "b", "again");
	diag_note(&w.d, (struct span){1, 2}, "of what was dropped");
	diag_hint(&w.d, "of what was dropped");
	assert_int_equal(w.d.n_errors, 1);
	check(&w, false, "x.bt:1:1-2: error: first [a]\n  abc\n  ~\n");
}

/* An error after a warning is dropped, a warning about something else is not. */
static void test_warnings(void **state)
{
	struct world w = open_world("abc");

	(void)state;
	diag_warning(&w.d, (struct span){0, 1}, "a", "first");
	diag_warning(&w.d, (struct span){0, 1}, "a", "first");
	diag_warning(&w.d, (struct span){0, 1}, "a", "second");
	diag_error(&w.d, (struct span){0, 1}, "b", "third");
	assert_int_equal(w.d.n_errors, 0);
	check(&w, false,
	      "x.bt:1:1-2: warning: first [a]\n  abc\n  ~\n"
	      "x.bt:1:1-2: warning: second [a]\n  abc\n  ~\n");
}

static void test_limit(void **state)
{
	struct world w = open_world("a");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		diag_error(&w.d, (struct span){0, i}, "a", "e");
	assert_int_equal(w.d.n_errors, 5000);
	diags_print(&w.d, out, false);
	fclose(out);
	assert_non_null(strstr(text, "… and 4980 more errors\n"));
	free(text);
	arena_free(w.arena);
}

static void test_control_characters(void **state)
{
	struct world w = open_world("a\033[31m");

	(void)state;
	diag_error(&w.d, (struct span){0, 1}, "a", "e");
	check(&w, false, "x.bt:1:1-2: error: e [a]\n  a?[31m\n  ~\n");
}

static void test_colour(void **state)
{
	struct world w = open_world("a");

	(void)state;
	diag_error(&w.d, (struct span){0, 1}, "a", "e");
	check(&w, true,
	      "\033[1mx.bt:1:1-2: \033[0m\033[1;31merror:\033[0m \033[1me\033[0m [a]\n"
	      "  a\n  \033[1;31m~\033[0m\n");
}

static const char *nearest_of(const char *word, const char *const *candidates)
{
	struct nearest n;

	nearest_init(&n, word);
	for (; *candidates; candidates++)
		nearest_offer(&n, *candidates);
	return n.best;
}

static void test_nearest(void **state)
{
	static const char *const names[] = {"count", "sum", "kstack", "ustack", "comm", NULL};

	(void)state;
	assert_string_equal(nearest_of("cuont", names), "count");
	assert_string_equal(nearest_of("kstak", names), "kstack");
	assert_string_equal(nearest_of("kustack", names), "kstack"); /* shared prefix wins */
	assert_string_equal(nearest_of("sun", names), "sum");
	assert_string_equal(nearest_of("su", names), "sum"); /* of two letters: one more */
	assert_null(nearest_of("um", names));
	assert_null(nearest_of("xy", names));
	assert_null(nearest_of("printf", names));
	assert_null(nearest_of("", names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),	   cmocka_unit_test(test_lines_and_order),
		cmocka_unit_test(test_repetition), cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_limit),	   cmocka_unit_test(test_control_characters),
		cmocka_unit_test(test_colour),	   cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
