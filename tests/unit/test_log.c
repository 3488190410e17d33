/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/base/log.c: a message is one line, whatever the names in it hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/log.h"

/* Log a warning of `words` and `name`; returns what it wrote to standard error. */
static const char *warn(const char *words, const char *name)
{
	static char text[8192];
	int before = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	ssize_t n;

	dup2(fileno(file), STDERR_FILENO);
	log_warning("%s%s", words, name);
	dup2(before, STDERR_FILENO);
	close(before);
	n = pread(fileno(file), text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	fclose(file);
	return text;
}

static void test_one_line(void **state)
{
	(void)state;
	assert_string_equal(warn("no file ", "caf\xc3\xa9"),
			    "sonde: warning: no file caf\xc3\xa9\n");
	assert_string_equal(warn("a line\n", ""), "sonde: warning: a line\n");
	assert_string_equal(warn("", ""), "sonde: warning: \n");
	assert_string_equal(warn("no file ", "a\nsonde: error: b\033[2J\xff\\n"),
			    "sonde: warning: no file a\\nsonde: error: b\\x1b[2J\\xff\\n\n");
}

/* Every byte of a message can take four. */
static void test_all_escaped(void **state)
{
	char name[1000];
	const char *text;

	(void)state;
	memset(name, 1, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	text = warn("", name);
	assert_int_equal(strlen(text), strlen("sonde: warning: ") + 4 * strlen(name) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_all_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
