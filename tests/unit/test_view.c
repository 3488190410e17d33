/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: values of every type are widened and truncated correctly; stacks that are found, missing
 * and lost; the order of a map's rows. Snapshots are built by hand, without maps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "runtime/view/map_read.h"

static const struct type t_int32 = {.kind = TY_INT, .size = 4, .align = 4, .is_signed = true};
static const struct type t_uint64 = {.kind = TY_INT, .size = 8, .align = 8};
static const struct type t_bool = {.kind = TY_BOOL, .size = 1, .align = 1};
static const struct type t_string8 = {.kind = TY_STRING, .size = 8, .align = 1};
static const struct type t_kstack = {.kind = TY_KSTACK, .size = 8, .align = 8};
static const struct type t_ustack = {.kind = TY_USTACK, .size = 8, .align = 8};
static const struct type t_count = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_COUNT};
static const struct type t_hist = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_HIST};
static const struct type t_sum = {
	.kind = TY_AGG, .size = 8, .align = 8, .is_signed = true, .agg = AGG_SUM};

/* Hash 1: f+1 g+2; 2: f+1; 3: the frames of 1 again; 4: an unknown frame. */
static bool find_stack(struct stack_source *s, uint64_t hash, const struct type *type,
		       struct view_stack *out)
{
	static const struct view_frame known[] = {{.ip = 1, .name = "f", .offset = 1},
						  {.ip = 2, .name = "g", .offset = 2}};
	static const struct view_frame unknown = {.ip = 9};

	(void)s;
	if (hash == 0 || hash > 4)
		return false;
	*out = (struct view_stack){.frames = known,
				   .n = hash == 2 ? 1 : 2,
				   .is_user = type->kind == TY_USTACK};
	if (hash == 4)
		*out = (struct view_stack){.frames = &unknown,
					   .n = 1,
					   .is_user = type->kind == TY_USTACK};
	return true;
}

static uint64_t integer_of(uint32_t size, bool is_signed, uint64_t stored)
{
	const struct type type = {.kind = TY_INT, .size = size, .is_signed = is_signed};
	uint8_t bytes[9];
	struct view v;

	memset(bytes, 0x5a, sizeof(bytes));
	memcpy(bytes + 1, &stored, size); /* at an odd address */
	view_make(&v, &type, bytes + 1, NULL);
	assert_ptr_equal(v.type, &type);
	return v.integer;
}

static void test_integers(void **state)
{
	(void)state;
	assert_true(integer_of(1, true, 0xff) == UINT64_MAX);
	assert_true(integer_of(1, false, 0xff) == 0xff);
	assert_true(integer_of(2, true, 0x8000) == (uint64_t)-32768);
	assert_true(integer_of(2, false, 0x8000) == 0x8000);
	assert_true(integer_of(4, true, 0xfffffffe) == (uint64_t)-2);
	assert_true(integer_of(4, false, 0xfffffffe) == 0xfffffffe);
	assert_true(integer_of(8, true, 1ull << 63) == 1ull << 63);
	assert_true(integer_of(8, false, UINT64_MAX) == UINT64_MAX);
}

static void test_bool_and_strings(void **state)
{
	const uint8_t two = 2, zero = 0;
	struct view v;

	(void)state;
	view_make(&v, &t_bool, &two, NULL);
	assert_int_equal(v.integer, 1);
	view_make(&v, &t_bool, &zero, NULL);
	assert_int_equal(v.integer, 0);
	view_make(&v, &t_string8, "ab\0cdefg", NULL);
	assert_int_equal(v.string.len, 2);
	view_make(&v, &t_string8, "abcdefghijk", NULL);
	assert_int_equal(v.string.len, 8);
	assert_memory_equal(v.string.text, "abcdefgh", 8);
}

static struct view stack_of(const struct type *type, uint64_t hash, struct stack_source *s)
{
	struct view v;

	view_make(&v, type, &hash, s);
	return v;
}

static void test_stacks(void **state)
{
	struct stack_source source = {.find = find_stack};
	struct view v = stack_of(&t_kstack, 1, &source);

	(void)state;
	assert_int_equal(v.stack.n, 2);
	assert_false(v.stack.is_user || v.stack.is_lost);
	v = stack_of(&t_ustack, 2, &source);
	assert_true(v.stack.is_user);
	v = stack_of(&t_ustack, 0, &source);
	assert_true(v.stack.n == 0 && !v.stack.is_lost && v.stack.is_user);
	v = stack_of(&t_ustack, 99, &source);
	assert_true(v.stack.n == 0 && v.stack.is_lost && v.stack.is_user);
	v = stack_of(&t_kstack, 1, NULL);
	assert_true(v.stack.n == 0 && v.stack.is_lost && !v.stack.is_user);
}

/* ---- order --------------------------------------------------------------------------- */

struct key {
	uint32_t epoch;
	int32_t number;
	char name[8];
	uint64_t stack;
};

static struct plan_field key_fields[] = {
	{.type = &t_int32, .offset = offsetof(struct key, number), .size = 4},
	{.type = &t_string8, .offset = offsetof(struct key, name), .size = 8},
	{.type = &t_kstack, .offset = offsetof(struct key, stack), .size = 8},
};

static struct plan_map map_of(const struct type *value, uint32_t value_size)
{
	return (struct plan_map){
		.name = "@m",
		.kind = value->kind == TY_AGG ? PM_SLOT_HASH : PM_HASH,
		.keys = key_fields,
		.n_keys = 3,
		.key_size = sizeof(struct key),
		.value = value,
		.value_size = value_size,
	};
}

/* Rows come out in the order in which `want` has the numbers of the rows that went in. The rows are
 * distinguished by their key's and value's views. */
static void expect_order(const struct plan_map *m, struct map_snapshot *s, const uint32_t *want)
{
	struct stack_source source = {.find = find_stack};
	const struct key *keys = (const struct key *)s->keys;
	struct view_map v;

	assert_int_equal(view_map_make(m, s, &source, &v), 0);
	assert_int_equal(v.n_rows, s->n_rows);
	assert_string_equal(v.name, "@m");
	assert_int_equal(v.n_keys, 3);
	for (uint32_t i = 0; i < v.n_rows; i++)
		assert_ptr_equal(v.rows[i].keys[1].string.text, keys[want[i]].name);
	view_map_free(&v);
	assert_null(v.rows);
}

static void test_order_by_value(void **state)
{
	struct key keys[] = {{.number = 1}, {.number = 2}, {.number = 3}};
	uint64_t values[] = {(uint64_t)-1, 5, 0};
	struct map_snapshot s = {.n_rows = 3, .keys = (uint8_t *)keys, .values = values};
	struct plan_map count = map_of(&t_count, 8), sum = map_of(&t_sum, 8);

	(void)state;
	expect_order(&count, &s, (uint32_t[]){2, 1, 0});
	expect_order(&sum, &s, (uint32_t[]){0, 2, 1});
	s.values = NULL;
	s.value_bytes = (uint8_t *)values;
	struct plan_map integer = map_of(&t_int32, 8); /* 8 bytes, though its type has 4 */
	values[1] = 1ull << 40;
	expect_order(&integer, &s, (uint32_t[]){0, 2, 1});
	struct plan_map natural = map_of(&t_uint64, 8);
	expect_order(&natural, &s, (uint32_t[]){2, 1, 0});
}

static void test_order_by_key(void **state)
{
	struct key keys[] = {
		{.number = 5, .name = "b", .stack = 1},	   {.number = 5, .name = "a", .stack = 1},
		{.number = -7, .name = "z", .stack = 1},   {.number = 5, .name = "ab", .stack = 2},
		{.number = 5, .name = "ab", .stack = 1},   {.number = 5, .name = "ab", .stack = 4},
		{.number = 5, .name = "ab", .stack = 0},   {.number = 5, .name = "ab", .stack = 99},
		{.number = 5, .name = "\xff", .stack = 0},
	};
	uint64_t values[9] = {0};
	struct map_snapshot s = {.n_rows = 9, .keys = (uint8_t *)keys, .values = values};
	struct plan_map count = map_of(&t_count, 8);
	const uint32_t want[] = {2, 1, 6, 7, 5, 3, 4, 0, 8};

	(void)state;
	expect_order(&count, &s, want);
	s.values = NULL;
	s.value_bytes = (uint8_t *)"hgfedcba....................................................";
	struct plan_map string = map_of(&t_string8, 4);
	expect_order(&string, &s, want);
	uint8_t bools[] = {1, 0, 1, 0, 1, 0, 1, 0, 1};
	s.value_bytes = bools;
	struct plan_map boolean = map_of(&t_bool, 1);
	expect_order(&boolean, &s, want);
}

/* Stacks 1 and 3 show the same, as of two processes; 2 is another. */
static void test_rows_that_show_the_same(void **state)
{
	struct stack_source source = {.find = find_stack};
	struct key keys[] = {{.stack = 1}, {.stack = 2}, {.stack = 3}, {.stack = 1, .number = 1}};
	uint64_t values[] = {4, 1, 5, 7};
	struct map_snapshot s = {.n_rows = 4, .keys = (uint8_t *)keys, .values = values};
	struct plan_map count = map_of(&t_count, 8);
	struct view_map v;

	(void)state;
	assert_int_equal(map_snapshot_merge(&count, &s, &source), 0);
	assert_int_equal(view_map_make(&count, &s, &source, &v), 0);
	assert_int_equal(v.n_rows, 3);
	assert_int_equal(v.rows[0].value.integer, 1);
	assert_int_equal(v.rows[1].value.integer, 7);
	assert_int_equal(v.rows[2].value.integer, 9);
	view_map_free(&v);
}

/* Buckets 2 and 5 of stack 1, 5 and 6 of stack 3: one histogram of 2, 5, 6. */
static void test_histograms_that_show_the_same(void **state)
{
	struct stack_source source = {.find = find_stack};
	struct {
		struct key key;
		uint32_t bucket, pad;
	} keys[] = {{{.stack = 1}, 2, 0},
		    {{.stack = 3}, 6, 0},
		    {{.stack = 3}, 5, 0},
		    {{.stack = 1}, 5, 0}};
	uint64_t values[][2] = {{3, 1}, {60, 2}, {90, 4}, {200, 8}}; /* sum, count */
	struct map_snapshot s = {.n_rows = 4, .keys = (uint8_t *)keys, .values = values[0]};
	struct plan_map m = map_of(&t_hist, 16);
	const struct view_bucket want[] = {{2, 1}, {5, 12}, {6, 2}};
	struct view_map v;

	(void)state;
	m.n_words = 2;
	m.key_size = sizeof(keys[0]);
	m.bucket_offset = sizeof(struct key);
	assert_int_equal(map_snapshot_merge(&m, &s, &source), 0);
	assert_int_equal(view_map_make(&m, &s, &source, &v), 0);
	assert_int_equal(v.n_rows, 1);
	assert_int_equal(v.rows[0].value.histogram.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(v.rows[0].value.histogram.buckets[i].index, want[i].index);
		assert_int_equal(v.rows[0].value.histogram.buckets[i].count, want[i].count);
	}
	view_map_free(&v);
}

static void test_empty_and_keyless(void **state)
{
	uint64_t value = 12;
	struct map_snapshot s = {.n_rows = 0};
	struct plan_map m = {.name = "@m",
			     .kind = PM_PERCPU_ARRAY,
			     .value = &t_count,
			     .value_size = 16,
			     .key_size = 4};
	struct view_map v;

	(void)state;
	assert_int_equal(view_map_make(&m, &s, NULL, &v), 0);
	assert_int_equal(v.n_rows, 0);
	view_map_free(&v);
	s = (struct map_snapshot){.n_rows = 1, .values = &value};
	assert_int_equal(view_map_make(&m, &s, NULL, &v), 0);
	assert_int_equal(v.n_rows, 1);
	assert_int_equal(v.n_keys, 0);
	assert_int_equal(v.rows[0].value.integer, 12);
	view_map_free(&v);
	view_map_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_bool_and_strings),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_order_by_value),
		cmocka_unit_test(test_order_by_key),
		cmocka_unit_test(test_rows_that_show_the_same),
		cmocka_unit_test(test_histograms_that_show_the_same),
		cmocka_unit_test(test_empty_and_keyless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
