/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON writer: escapes, UTF-8 and what is none, numbers that doubles cannot hold, keys, losses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/output/out.h"
#include "runtime/view/view.h"

static const struct type t_int = {.kind = TY_INT, .size = 8, .align = 8, .is_signed = true};
static const struct type t_unsigned = {.kind = TY_INT, .size = 8, .align = 8};
static const struct type t_bool = {.kind = TY_BOOL, .size = 1, .align = 1};
static const struct type t_string = {.kind = TY_STRING, .size = 64, .align = 1};
static const struct type t_count = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_COUNT};

struct file {
	FILE *f;
	struct out *out;
	char text[1 << 16];
};

static int open_file(void **state)
{
	struct file *x = calloc(1, sizeof(*x));

	x->f = tmpfile();
	x->out = out_json_new(x->f, NULL, NULL);
	*state = x;
	return !x->out;
}

static int close_file(void **state)
{
	struct file *x = *state;

	x->out->close(x->out);
	fclose(x->f);
	free(x);
	return 0;
}

static const char *written(struct file *x)
{
	size_t n;

	assert_int_equal(out_finish(x->out), 0);
	rewind(x->f);
	n = fread(x->text, 1, sizeof(x->text) - 1, x->f);
	x->text[n] = '\0';
	rewind(x->f);
	assert_int_equal(ftruncate(fileno(x->f), 0), 0);
	return x->text;
}

static struct view integer(const struct type *t, uint64_t n)
{
	return (struct view){.type = t, .integer = n};
}

static struct view string(const char *s)
{
	return (struct view){.type = &t_string, .string = {s, (uint32_t)strlen(s)}};
}

static void expect_json(struct file *x, struct view v, const char *want)
{
	char line[512];

	assert_int_equal(x->out->value(x->out, &v), 0);
	snprintf(line, sizeof(line), "{\"type\": \"value\", \"data\": %s}\n", want);
	assert_string_equal(written(x), line);
}

static void test_numbers(void **state)
{
	expect_json(*state, integer(&t_int, 0), "0");
	expect_json(*state, integer(&t_int, (uint64_t)-5), "-5");
	expect_json(*state, integer(&t_int, 9007199254740992), "9007199254740992");
	expect_json(*state, integer(&t_int, 9007199254740993), "\"9007199254740993\"");
	expect_json(*state, integer(&t_int, 9007199254740994), "9007199254740994");
	expect_json(*state, integer(&t_int, (uint64_t)-9007199254740993), "\"-9007199254740993\"");
	expect_json(*state, integer(&t_int, 1ull << 63), "-9223372036854775808");
	expect_json(*state, integer(&t_unsigned, 1ull << 63), "9223372036854775808");
	expect_json(*state, integer(&t_unsigned, UINT64_MAX), "\"18446744073709551615\"");
	expect_json(*state, integer(&t_bool, 1), "true");
	expect_json(*state, integer(&t_bool, 0), "false");
}

static void test_strings(void **state)
{
	expect_json(*state, string(""), "\"\"");
	expect_json(*state, string("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	expect_json(*state, string("\n\r\t\x01\x1f\x7f"), "\"\\n\\r\\t\\u0001\\u001f\\u007f\"");
	expect_json(*state, string("\xc2\x80\xc2\x9b[\xc2\x9f\xc2\xa0"),
		    "\"\\u0080\\u009b[\\u009f\xc2\xa0\"");
	expect_json(*state, string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

/* Lone and missing continuations, overlong forms, a surrogate, beyond the last character. */
static void test_what_is_no_utf8(void **state)
{
	expect_json(*state,
		    string("\x80"
			   "a"),
		    "\"\\ufffda\"");
	expect_json(*state, string("\xc3"), "\"\\ufffd\"");
	expect_json(*state, string("\xe2\x82"), "\"\\ufffd\\ufffd\"");
	expect_json(*state, string("\xc0\xaf"), "\"\\ufffd\\ufffd\"");
	expect_json(*state, string("\xe0\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
	expect_json(*state, string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
	expect_json(*state, string("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	expect_json(*state, string("\xff"), "\"\\ufffd\"");
}

static void test_long_strings(void **state)
{
	struct file *x = *state;
	char *s = malloc(30001);
	struct view v = string("");

	memset(s, '"', 30000);
	s[30000] = '\0';
	v.string.text = s;
	v.string.len = 30000;
	assert_int_equal(x->out->value(x->out, &v), 0);
	assert_int_equal(strlen(written(x)),
			 60000 + strlen("{\"type\": \"value\", \"data\": \"\"}\n"));
	free(s);
}

static void test_maps(void **state)
{
	struct file *x = *state;
	struct view keys[] = {string("a b"), integer(&t_int, 1), string("c\""), integer(&t_int, 2)};
	struct view_row rows[] = {{&keys[0], integer(&t_count, 7)},
				  {&keys[2], integer(&t_count, 8)}};
	struct view_map m = {.name = "@m", .n_keys = 2, .rows = rows, .n_rows = 2};

	x->out->map(x->out, &m);
	assert_string_equal(written(x), "{\"type\": \"map\", \"data\": {\"@m\": {\"a b,1\": 7, "
					"\"c\\\",2\": 8}}}\n");
	m.n_keys = 0;
	m.n_rows = 1;
	x->out->map(x->out, &m);
	assert_string_equal(written(x), "{\"type\": \"map\", \"data\": {\"@m\": 7}}\n");
	m.n_rows = 0;
	x->out->map(x->out, &m);
	assert_string_equal(written(x), "");
}

/* A reader of JSON would keep one of two rows with the same name. */
static void test_names_are_unique(void **state)
{
	struct file *x = *state;
	struct view keys[] = {string("a,b"),  string("c"),    string("a"),	   string("b,c"),
			      string("\xff"), string("\xfe"), string("\xff,\xff"), string("")};
	struct view_row pairs[] = {{&keys[0], integer(&t_count, 1)},
				   {&keys[2], integer(&t_count, 2)}};
	struct view_row names[] = {{&keys[4], integer(&t_count, 1)},
				   {&keys[5], integer(&t_count, 2)},
				   {&keys[6], integer(&t_count, 3)}};
	struct view_map m = {.name = "@m", .n_keys = 2, .rows = pairs, .n_rows = 2};

	for (int i = 0; i < 2; i++) { /* each map for itself */
		x->out->map(x->out, &m);
		assert_string_equal(written(x), "{\"type\": \"map\", \"data\": {\"@m\": "
						"{\"a,b,c\": 1, \"a,b,c#2\": 2}}}\n");
	}
	m = (struct view_map){.name = "@m", .n_keys = 1, .rows = names, .n_rows = 3};
	x->out->map(x->out, &m);
	assert_string_equal(written(x), "{\"type\": \"map\", \"data\": {\"@m\": {\"\\ufffd\": 1, "
					"\"\\ufffd#2\": 2, \"\\ufffd,\\ufffd\": 3}}}\n");
}

static void test_attached_and_lost(void **state)
{
	struct file *x = *state;
	struct view_loss l = {.probe = "interval:s:1",
			      .cause = "ring-full",
			      .what = "records lost",
			      .n = 4};

	x->out->attached(x->out, 2);
	assert_string_equal(
		written(x),
		"{\"type\": \"attached_probes\", \"count\": 2, \"data\": {\"probes\": 2}}\n");
	x->out->lost(x->out, &l);
	assert_string_equal(written(x),
			    "{\"type\": \"lost_events\", \"count\": 4, \"data\": {\"events\": 4, "
			    "\"probe\": \"interval:s:1\", \"cause\": \"ring-full\", "
			    "\"msg\": \"records lost\"}}\n");
}

/* What is in the file before anything asks for it. */
static long size_after(struct file *x, const struct view *v)
{
	assert_int_equal(x->out->value(x->out, v), 0);
	fseek(x->f, 0, SEEK_END);
	return ftell(x->f);
}

static void test_buffering(void **state)
{
	struct file *x = *state;
	struct view v = integer(&t_int, 1);

	assert_int_equal(out_set_buffering(x->out, OUT_BUFFER_FULL), fileno(x->f));
	assert_int_equal(size_after(x, &v), 0);
	x->out->flush(x->out);
	assert_int_equal(size_after(x, &v), 0);
	out_set_buffering(x->out, OUT_BUFFER_LINE);
	assert_true(size_after(x, &v) > 0);
	assert_int_equal(strlen(written(x)) % 3, 0);
	out_set_buffering(x->out, OUT_BUFFER_IDLE);
	assert_int_equal(size_after(x, &v), 0);
	x->out->flush(x->out);
	fseek(x->f, 0, SEEK_END);
	assert_true(ftell(x->f) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_strings, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_what_is_no_utf8, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_long_strings, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_maps, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_names_are_unique, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_attached_and_lost, open_file, close_file),
		cmocka_unit_test_setup_teardown(test_buffering, open_file, close_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
