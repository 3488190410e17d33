/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of recordings: what is written as JSON is read again as the same view, and what is not
 * valid is refused. JSON texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "parser/base/arena.h"
#include "runtime/output/out.h"
#include "runtime/recording/row.h"
#include "runtime/output/type_json.h"
#include "runtime/recording/value_json.h"

static const struct type t_int = {.kind = TY_INT, .size = 8, .is_signed = true};
static const struct type t_uint = {.kind = TY_INT, .size = 8};
static const struct type t_string = {.kind = TY_STRING, .size = 16};
static const struct type t_stack = {.kind = TY_KSTACK, .size = 8};
static const struct type t_hist = {.kind = TY_AGG, .size = 8, .agg = AGG_HIST};
static const struct type t_series = {.kind = TY_AGG,
				     .size = 8,
				     .agg = AGG_TSERIES,
				     .scale = {1000, 10, 0}};

static uint32_t number(struct stack_numbers *n, const struct view_stack *s)
{
	(void)n;
	return s->n;
}

static bool find(struct stack_lookup *l, uint64_t n, struct view_stack *out)
{
	(void)l;
	out->n = (uint32_t)n;
	return n == 7;
}

/* The JSON of a value, and the value and its type read again. */
static const char *round_trip(struct arena *a, const struct view *v, struct view *again)
{
	struct stack_numbers numbers = {number};
	struct stack_lookup lookup = {find};
	const struct type *type;
	const char *text;
	struct row row;

	row_init(&row);
	type_json_put(&row.json, NULL, v->type);
	type = type_json_read(a, json_read(a, row.grown.text.bytes, row.grown.text.n));
	assert_non_null(type);
	assert_int_equal(type->kind, v->type->kind);
	row.grown.text.n = 0;
	row.json.has_item = false;
	value_json_put(&row.json, NULL, v, &numbers);
	text = arena_strndup(a, row.grown.text.bytes, row.grown.text.n);
	text_grown_free(&row.grown);
	assert_true(value_json_read(a, type, json_read(a, text, strlen(text)), &lookup, again));
	return text;
}

static void test_integers(void **state)
{
	struct arena *a = arena_new();
	struct view v = {.type = &t_int, .integer = (uint64_t)INT64_MIN}, again;

	(void)state;
	assert_string_equal(round_trip(a, &v, &again), "-9223372036854775808");
	assert_int_equal(again.integer, v.integer);
	v = (struct view){.type = &t_uint, .integer = UINT64_MAX};
	assert_string_equal(round_trip(a, &v, &again), "\"18446744073709551615\"");
	assert_true(again.integer == UINT64_MAX);
	arena_free(a);
}

static void check_string(const char *bytes, uint32_t len, const char *trailer, const char *json)
{
	struct arena *a = arena_new();
	struct view v = {.type = &t_string, .string = {bytes, len, trailer}}, again;

	assert_string_equal(round_trip(a, &v, &again), json);
	assert_int_equal(again.string.len, len);
	assert_memory_equal(again.string.text, bytes, len);
	if (trailer)
		assert_string_equal(again.string.trailer, trailer);
	else
		assert_null(again.string.trailer);
	arena_free(a);
}

static void test_strings(void **state)
{
	(void)state;
	check_string("a\"\\\n\x1b\xc3\xb6\xc2\x85", 9, NULL,
		     "\"a\\\"\\\\\\n\\u001b\xc3\xb6\\u0085\"");
	check_string("cut", 3, "..", "{\"text\": \"cut\", \"cut\": \"..\"}");
	check_string("\xff\x00", 2, NULL, "{\"hex\": \"ff00\"}");
	check_string("\xff", 1, "..", "{\"hex\": \"ff\", \"cut\": \"..\"}");
	check_string("", 0, NULL, "\"\"");
}

static void test_compounds(void **state)
{
	struct type_member members[] = {{.name = "x", .type = &t_int},
					{.name = "s", .type = &t_stack, .offset = 8}};
	struct type record = {.kind = TY_RECORD, .size = 16, .members = members, .n_members = 2};
	struct view parts[] = {{.type = &t_int, .integer = 5}, {.type = &t_stack, .stack.n = 7}};
	struct view v = {.type = &record, .compound.parts = parts}, again, part;
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(round_trip(a, &v, &again), "{\"x\": 5, \"s\": 7}");
	view_part(&again, 0, &part);
	assert_int_equal(part.integer, 5);
	view_part(&again, 1, &part);
	assert_int_equal(part.stack.n, 7);
	assert_string_equal(again.type->members[1].name, "s");
	arena_free(a);
}

static void test_buckets(void **state)
{
	struct view_bucket buckets[] = {{1, 2}, {5, 1}};
	struct view v = {.type = &t_hist, .histogram = {buckets, 2, 3, 1, 0, 77}}, again;
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(round_trip(a, &v, &again),
			    "{\"buckets\": [{\"bucket\": 1, \"min\": 0, \"max\": 0, \"count\": 2}, "
			    "{\"bucket\": 5, \"min\": 8, \"max\": 15, \"count\": 1}], "
			    "\"total\": 3, \"divisor\": 1, \"sum\": 77}");
	assert_int_equal(again.histogram.n, 2);
	assert_int_equal(again.histogram.sum, 77);
	assert_int_equal(again.histogram.total, 3);
	v = (struct view){.type = &t_series, .histogram = {buckets, 2, 3, 1, 9}};
	round_trip(a, &v, &again);
	assert_int_equal(again.histogram.last, 9);
	assert_int_equal(again.type->scale[0], 1000);
	arena_free(a);
}

static bool is_read(const struct type *type, const char *json)
{
	struct stack_lookup lookup = {find};
	struct arena *a = arena_new();
	const json_t *j = json_read(a, json, strlen(json));
	struct view v;
	bool ok = j && value_json_read(a, type, j, &lookup, &v);

	arena_free(a);
	return ok;
}

static void test_refused_values(void **state)
{
	static const struct type_member members[] = {{.name = "x", .type = &t_int},
						     {.name = "x", .type = &t_int}};
	static const struct type twice = {.kind = TY_RECORD,
					  .size = 16,
					  .members = members,
					  .n_members = 2};
	static const char *const series[] = {
		"{\"buckets\": [{\"bucket\": 1, \"value\": 1}], \"total\": 1, \"divisor\": 1, "
		"\"last\": 99}",
		"{\"buckets\": [{\"bucket\": 9223372036854775, \"value\": 1}], \"total\": 1, "
		"\"divisor\": 1, \"last\": 9223372036854775}",
	};

	(void)state;
	assert_false(is_read(&twice, "[1, 2]"));
	assert_false(is_read(&twice, "{\"x\": 1, \"x\": 2}"));
	assert_false(is_read(&t_int, "\"5x\""));
	assert_false(is_read(&t_int, "1.5"));
	assert_false(is_read(&t_int, "18446744073709551616"));
	assert_false(is_read(&t_string, "5"));
	assert_false(is_read(&t_string, "{\"hex\": \"0g\"}"));
	assert_false(is_read(&t_stack, "8")); /* there is no such stack */
	assert_true(is_read(&t_stack, "0"));
	assert_false(is_read(&t_hist, "5"));
	assert_false(is_read(&t_hist, "{\"buckets\": [{\"bucket\": 99, \"count\": 1}], "
				      "\"total\": 1, \"divisor\": 1}"));
	assert_false(is_read(&t_hist, "{\"buckets\": [], \"total\": 1, \"divisor\": 0}"));
	assert_false(is_read(&t_series, series[0]));
	assert_false(is_read(&t_series, series[1]));
}

static bool is_json(const char *text)
{
	struct arena *a = arena_new();
	bool ok = json_read(a, text, strlen(text)) != NULL;

	arena_free(a);
	return ok;
}

static void test_json(void **state)
{
	static char deep[10001], large[2 * 4000001 + 2];

	(void)state;
	memset(deep, '[', 5000);
	memset(deep + 5000, ']', 5000);
	for (int i = 0; i < 4000001; i++)
		memcpy(large + 2 * (size_t)i, i ? ",0" : "[0", 2);
	large[sizeof(large) - 2] = ']';
	assert_true(is_json(" [1, -2, \"a\", {\"b\": null}, true, false, [], {}] "));
	assert_false(is_json(""));
	assert_true(is_json("{\"a,]\": [[1, 2], {\"\\\"\": \",\"}], \"b\": 1}"));
	assert_false(is_json("[1,]"));
	assert_false(is_json("[1, 2}"));
	assert_false(is_json("[1"));
	assert_false(is_json("\"a"));
	assert_false(is_json("\"\\"));
	assert_false(is_json("\"\\u12\""));
	assert_false(is_json("{1: 2}"));
	assert_false(is_json("1 2"));
	assert_false(is_json("tru"));
	assert_false(is_json("-"));
	assert_false(is_json(deep));
	assert_false(is_json(large));
	large[2 * 3000000] = ']';
	large[2 * 3000000 + 1] = '\0';
	assert_true(is_json(large));
	assert_false(is_json("9223372036854775808")); /* written as a string */
}

static bool is_type(const char *json)
{
	struct arena *a = arena_new();
	bool ok = type_json_read(a, json_read(a, json, strlen(json))) != NULL;

	arena_free(a);
	return ok;
}

static void test_refused_types(void **state)
{
	(void)state;
	assert_true(is_type("{\"kind\": \"int\", \"size\": 4}"));
	assert_false(is_type("{\"kind\": \"int\"}"));
	assert_false(is_type("{\"kind\": \"other\", \"size\": 4}"));
	assert_false(is_type("{\"kind\": \"kstack\", \"size\": 8, \"form\": 99}"));
	assert_false(is_type("{\"kind\": \"aggregation\", \"size\": 8, \"of\": \"hist_t\", "
			     "\"scale\": [6, 0, 0]}"));
	assert_false(is_type("{\"kind\": \"aggregation\", \"size\": 8, \"of\": \"lhist_t\", "
			     "\"scale\": [0, 100, 0]}"));
	assert_false(is_type("{\"kind\": \"aggregation\", \"size\": 8, \"of\": \"lhist_t\", "
			     "\"scale\": [0, 9223372036854775807, 1]}"));
	assert_false(is_type("{\"kind\": \"aggregation\", \"size\": 8, \"of\": \"tseries_t\", "
			     "\"scale\": [0, 5, 0]}"));
	assert_false(is_type("{\"kind\": \"array\", \"size\": 8, \"n\": 524288, \"to\": "
			     "{\"kind\": \"string\", \"size\": 1073741824}}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),       cmocka_unit_test(test_strings),
		cmocka_unit_test(test_compounds),      cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_refused_values), cmocka_unit_test(test_json),
		cmocka_unit_test(test_refused_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
