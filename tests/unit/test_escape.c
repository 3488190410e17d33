/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escapes: what changes, what does not, and that every text can be recovered from its escaped form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "parser/base/escape.h"

struct result {
	char bytes[512];
	size_t n;
};

static void put(void *ctx, const char *bytes, size_t n)
{
	struct result *r = ctx;

	assert_true(n && r->n + n < sizeof(r->bytes));
	memcpy(r->bytes + r->n, bytes, n);
	r->n += n;
	r->bytes[r->n] = '\0';
}

static void expect(enum escape_set set, const char *text, size_t n, const char *want)
{
	char *exact = malloc(n ? n : 1); /* sanitizers see what is read behind its end */
	struct result r = {.n = 0};

	assert_non_null(exact);
	memcpy(exact, text, n);
	escape_text(set, exact, n, put, &r);
	assert_string_equal(r.bytes, want);
	assert_true(r.n <= ESCAPE_GROWTH * n);
	assert_int_equal(escape_clean(set, exact, n) == n, r.n == n && !memcmp(r.bytes, exact, n));
	free(exact);
}

/* String literals, without their NUL. */
#define NAME(text, want) expect(ESCAPE_NAME, text, sizeof(text) - 1, want)
#define MESSAGE(text, want) expect(ESCAPE_MESSAGE, text, sizeof(text) - 1, want)
#define LINES(text, want) expect(ESCAPE_LINES, text, sizeof(text) - 1, want)
#define TERMINAL(text, want) expect(ESCAPE_TERMINAL, text, sizeof(text) - 1, want)

static void test_unchanged(void **state)
{
	(void)state;
	NAME("", "");
	NAME("kworker/0:1-events", "kworker/0:1-events");
	NAME(" !\"#$%&'()*+,-./0189:;<=>?@AZ[]^_`az{|}~",
	     " !\"#$%&'()*+,-./0189:;<=>?@AZ[]^_`az{|}~");
	NAME("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d",
	     "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d");
	NAME("\xc2\xa0", "\xc2\xa0");
	NAME("dev-disk\\x2duuid.swap", "dev-disk\\x2duuid.swap");
	NAME("C:\\Windows\\", "C:\\Windows\\");
}

static void test_controls(void **state)
{
	(void)state;
	NAME("a]: 1\n@[sshd", "a]: 1\\n@[sshd");
	NAME("\t\r\v\033[2J\x7f", "\\t\\r\\x0b\\x1b[2J\\x7f");
	NAME("a\0b", "a\\x00b");
	NAME("long enough for words\n", "long enough for words\\n");
	NAME("\xc2\x9b"
	     "31m",
	     "\\xc2\\x9b31m");
}

static void test_invalid_utf8(void **state)
{
	(void)state;
	NAME("\xff\x80", "\\xff\\x80");
	NAME("a\xc3", "a\\xc3");
	NAME("a\xe2\x82", "a\\xe2\\x82");
	NAME("\xc0\xaf", "\\xc0\\xaf");
	NAME("\xed\xa0\x80", "\\xed\\xa0\\x80");
	NAME("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	NAME("\xef\xbf\xbd \xef\xbf\xbe \xef\xbf\xbf",
	     "\xef\xbf\xbd \\xef\\xbf\\xbe \\xef\\xbf\\xbf");
}

static void test_xml(void **state)
{
	static const char text[] = "a<b>\n&\"\033\xff";
	struct result r = {.n = 0};

	(void)state;
	escape_xml(text, sizeof(text) - 1, put, &r);
	assert_string_equal(r.bytes, "a&lt;b&gt;\n&amp;&quot;\\x1b\\xff");
}

static void test_backslashes(void **state)
{
	(void)state;
	NAME("C:\\new", "C:\\\\new");
	NAME("a\\x1b", "a\\\\x1b");
	NAME("a\\x1B \\x1", "a\\x1B \\x1");
	NAME("\\\\\\n", "\\\\\\\\\\\\n");
	NAME("\\\n", "\\\\\\n");
	NAME("\\", "\\");
}

static void test_other_sets(void **state)
{
	(void)state;
	MESSAGE("cannot read 'a\n\033': \\n", "cannot read 'a\\n\\x1b': \\n");
	LINES("a\n\tb\r\033\\n", "a\n\tb\\r\\x1b\\n");
	TERMINAL("a\n\r\a\x7f\033[2J\\n", "a\n\r\a\x7f\\x1b[2J\\n");
	TERMINAL("\x9b"
		 "1m \xc2\x9b \xc2\xa0 \xff\xa0",
		 "\\x9b1m \\xc2\\x9b \xc2\xa0 \xff\xa0");
}

/* ---- every text can be recovered ------------------------------------------------------------- */

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The escape behind a backslash: its length, and its byte. 0 when it is none. */
static size_t read_escape(const char *s, char *byte)
{
	int c;

	*byte = (char)(s[0] == 'n' ? '\n' : s[0] == 't' ? '\t' : '\r');
	if (s[0] == 'n' || s[0] == 't' || s[0] == 'r')
		return 1;
	if (s[0] != 'x' || digit(s[1]) < 0 || digit(s[2]) < 0)
		return 0;
	c = digit(s[1]) * 16 + digit(s[2]);
	*byte = (char)c;
	return c < 0x20 || c >= 0x7f ? 3 : 0;
}

static size_t recover(const char *s, char *out)
{
	size_t n = 0;

	while (*s) {
		size_t run = strspn(s, "\\"), len;
		char byte;

		if (!run) {
			out[n++] = *s++;
			continue;
		}
		s += run;
		len = read_escape(s, &byte);
		memset(out + n, '\\', len ? run / 2 : run);
		n += len ? run / 2 : run;
		if (len && run % 2) {
			out[n++] = byte;
			s += len;
		}
	}
	return n;
}

static void test_recovered(void **state)
{
	static const char bytes[] = "\\\\\\\\nnxx1b7fc2\n\033\x7f\x80\xc3\xa9\xc2\x9b a";
	char text[16], back[512];
	uint32_t seed = 1;

	(void)state;
	for (uint32_t round = 0; round < 200000; round++) {
		size_t n = round % sizeof(text);
		struct result r = {.n = 0};

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = bytes[(seed >> 16) % (sizeof(bytes) - 1)];
		}
		escape_text(ESCAPE_NAME, text, n, put, &r);
		assert_int_equal(escape_clean(ESCAPE_LINES, r.bytes, r.n), r.n);
		assert_null(strpbrk(r.bytes, "\n\t"));
		assert_int_equal(recover(r.bytes, back), n);
		assert_memory_equal(back, text, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unchanged),    cmocka_unit_test(test_controls),
		cmocka_unit_test(test_invalid_utf8), cmocka_unit_test(test_xml),
		cmocka_unit_test(test_backslashes),  cmocka_unit_test(test_other_sets),
		cmocka_unit_test(test_recovered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
