/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations in user space, from fixed bytes: merging of per-CPU words and of bucket entries, the
 * order of rows, and their text.
 */
#include "bpf_helpers/bucket.h"
#include "parser/base/arena.h"
#include "runtime/view/agg.h"
#include "runtime/view/format.h"
#include "runtime/view/map_read.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void reject(struct text *t)
{
	(void)t;
	fail_msg("text longer than the buffer");
}

static const char *text_of(const struct view *v)
{
	static char bytes[8192];
	struct text t = {.bytes = bytes, .capacity = sizeof(bytes) - 1, .make_room = reject};

	format_view(&t, v);
	bytes[t.n] = '\0';
	return bytes;
}

static uint64_t merged(enum agg_kind agg, bool is_signed, const int64_t *values, int n)
{
	struct type t = {.kind = TY_AGG, .agg = agg, .is_signed = is_signed};
	uint64_t words[2] = {0};
	struct view v;

	for (int i = 0; i < n; i++) {
		uint64_t one[2] = {agg_rows[agg].layout == AL_MAX || agg_rows[agg].layout == AL_MIN
					   ? agg_ordered(&t, (uint64_t)values[i])
					   : (uint64_t)values[i],
				   1};

		agg_merge(&t, words, one, agg_words(&t, true));
	}
	agg_merge(&t, words, (uint64_t[2]){0, 0}, agg_words(&t, true)); /* a CPU that saw none */
	agg_view(&v, &t, words);
	return v.integer;
}

static void test_merge(void **state)
{
	const int64_t some[] = {5, -7, 3}, ones[] = {-1, -1}, low[] = {INT64_MIN};

	(void)state;
	assert_true(merged(AGG_SUM, true, some, 3) == 1);
	assert_true(merged(AGG_MIN, true, some, 3) == (uint64_t)-7);
	assert_true(merged(AGG_MAX, true, some, 3) == 5);
	assert_true(merged(AGG_MIN, false, some, 3) == 3);
	assert_true(merged(AGG_MAX, false, some, 3) == (uint64_t)-7);
	assert_true(merged(AGG_MIN, false, ones, 2) == UINT64_MAX);
	assert_true(merged(AGG_MAX, true, low, 1) == (uint64_t)INT64_MIN);
	assert_true(merged(AGG_AVG, true, some + 1, 2) == (uint64_t)-2);
	assert_true(merged(AGG_MIN, true, NULL, 0) == 0);
	assert_true(merged(AGG_AVG, true, NULL, 0) == 0);
}

static void test_stats_text(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_STATS};
	struct view v;

	(void)state;
	agg_view(&v, &t, (uint64_t[]){41, 4});
	assert_string_equal(text_of(&v), "{ .count = 4, .average = 10, .total = 41 }");
	t.is_signed = true;
	agg_view(&v, &t, (uint64_t[]){(uint64_t)-7, 2});
	assert_string_equal(text_of(&v), "{ .count = 2, .average = -3, .total = -7 }");
	agg_view(&v, &t, (uint64_t[]){0, 0});
	assert_string_equal(text_of(&v), "{ .count = 0, .average = 0, .total = 0 }");
}

static const char *histogram(const struct type *t, const struct view_bucket *b, uint32_t n,
			     uint64_t div)
{
	struct view v;

	agg_view_buckets(&v, t, b, n);
	agg_divide(&v, div);
	return text_of(&v);
}

static void test_hist_text(void **state)
{
	const struct type t = {.kind = TY_AGG, .agg = AGG_HIST};
	const struct view_bucket b[] = {{0, 1}, {1, 1}, {2, 1}, {4, 3}};

	(void)state;
	assert_string_equal(
		histogram(&t, b, 4, 1),
		"(..., 0)               1 |@@@@@@@@@@@@@@@@@                                   |\n"
		"[0]                    1 |@@@@@@@@@@@@@@@@@                                   |\n"
		"[1]                    1 |@@@@@@@@@@@@@@@@@                                   |\n"
		"[2, 4)                 0 |                                                    |\n"
		"[4, 8)                 3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
	assert_string_equal(histogram(&t, b, 0, 1), "");
	assert_string_equal(
		histogram(&t, b + 3, 1, 2),
		"[4, 8)                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
}

/* The suffix follows the power of two, not the value: with k = 2, 1024 stays 1024. */
static void test_hist_labels(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_HIST};
	const struct {
		int64_t n;
		uint32_t k;
		const char *label;
	} cases[] = {
		{512, 0, "[512, 1K) "},	     {1024, 0, "[1K, 2K) "},	 {1 << 20, 0, "[1M, 2M) "},
		{1ll << 62, 0, "[4E, 8E) "}, {1024, 2, "[1024, 1280) "}, {7, 2, "[7] "},
		{8, 2, "[8, 10) "},	     {100, 5, "[100, 102) "},	 {4096, 2, "[4K, 5K) "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct view_bucket b = {.count = 1};

		t.scale[0] = cases[i].k;
		while (agg_bucket_begin(&t, b.index + 1) <= cases[i].n)
			b.index++;
		assert_memory_equal(histogram(&t, &b, 1, 1), cases[i].label,
				    strlen(cases[i].label));
	}
}

static void test_lhist_text(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_LHIST, .scale = {0, 60, 20}};
	const struct view_bucket b[] = {{0, 1}, {1, 1}, {2, 3}, {3, 1}, {4, 2}}, one = {2, 1};

	(void)state;
	assert_string_equal(
		histogram(&t, b, 5, 7),
		"(..., 0)               1 |@@@@@@@@@@@@@@@@@                                   |\n"
		"[0, 20)                1 |@@@@@@@@@@@@@@@@@                                   |\n"
		"[20, 40)               3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"[40, 60)               1 |@@@@@@@@@@@@@@@@@                                   |\n"
		"[60, ...)              2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@                  |\n");
	t = (struct type){.kind = TY_AGG, .agg = AGG_LHIST, .scale = {0, 10, 1}};
	assert_memory_equal(histogram(&t, &one, 1, 1), "[1]   ", 6);
	t = (struct type){.kind = TY_AGG, .agg = AGG_LHIST, .scale = {0, 4 << 20, 1 << 20}};
	assert_memory_equal(histogram(&t, &one, 1, 1), "[1M, 2M) ", 9);
	t = (struct type){.kind = TY_AGG, .agg = AGG_LHIST, .scale = {0, 8192, 2048}};
	assert_memory_equal(histogram(&t, &one, 1, 1), "[2K, 4K) ", 9);
}

struct entry {
	uint32_t epoch, key, bucket;
};

static const struct type t_u32 = {.kind = TY_INT, .size = 4, .align = 4};

static void test_shist_labels(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_SHIST};
	const struct {
		int64_t n;
		uint32_t k;
		const char *label;
	} cases[] = {
		{0, 0, "[0] "},
		{-1, 0, "[-1] "},
		{1, 0, "[1] "},
		{-2, 0, "(-4, -2] "},
		{-3, 0, "(-4, -2] "},
		{-4, 0, "(-8, -4] "},
		{5, 0, "[4, 8) "},
		{-1024, 0, "(-2K, -1K] "},
		{-1023, 0, "(-1K, -512] "},
		{-7, 2, "[-7] "},
		{-8, 2, "(-10, -8] "},
		{-9, 2, "(-10, -8] "},
		{INT64_MIN, 0, "(-8E, -4E] "},
		{INT64_MAX, 0, "[4E, 8E) "},
		{-101, 5, "(-102, -100] "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct view_bucket b = {sonde_bucket_signed(cases[i].n, cases[i].k), 1};

		t.scale[0] = cases[i].k;
		assert_memory_equal(histogram(&t, &b, 1, 1), cases[i].label,
				    strlen(cases[i].label));
	}
}

/* ---- tseries ----------------------------------------------------------------------------- */

static struct type t_series = {.kind = TY_AGG, .agg = AGG_TSERIES, .size = 8, .align = 8};

static uint64_t merged_series(enum series_op op, const uint64_t (*parts)[3], uint32_t n)
{
	uint64_t words[3] = {0};

	t_series.scale[2] = op;
	for (uint32_t i = 0; i < n; i++)
		agg_merge(&t_series, words, parts[i], 3);
	assert_int_equal(words[0], 7);
	return agg_series_value(&t_series, words);
}

/* Words of CPUs that are in another interval do not count. */
static void test_series_merge(void **state)
{
	const uint64_t parts[][3] = {{6, 1000, 9}, {7, 30, 2}, {0, 0, 0}, {7, 12, 4}, {5, 1, 99}};
	const uint64_t least[][3] = {{7, ~30ull, 1}, {7, ~12ull, 1}};

	(void)state;
	assert_int_equal(merged_series(SERIES_LAST, parts, 5), 12);
	assert_int_equal(merged_series(SERIES_AVG, parts, 5), 7);
	assert_int_equal(merged_series(SERIES_MAX, parts, 5), 30);
	assert_int_equal(merged_series(SERIES_SUM, parts, 5), 42);
	assert_int_equal(merged_series(SERIES_MIN, least, 2), 12);
}

static const char *series(int64_t interval, bool is_signed, const struct view_bucket *b, uint32_t n,
			  uint64_t last)
{
	struct view v;

	t_series.scale[0] = interval;
	t_series.is_signed = is_signed;
	agg_view_buckets(&v, &t_series, b, n);
	v.histogram.last = last;
	return text_of(&v);
}

static void test_series_text(void **state)
{
	const struct view_bucket some[] = {{41, 4}, {43, 20}, {44, 12}}, one = {5, 9};
	const struct view_bucket both[] = {{1, (uint64_t)-10}, {2, 30}};

	(void)state;
	setenv("TZ", "UTC", 1);
	assert_string_equal(
		series(250000000, false, some, 3, 45),
		"             4                                                  20\n"
		"hh:mm:ss.ms  |___________________________________________________|\n"
		"00:00:10.250 *                                                   | 4\n"
		"00:00:10.500 |                                                   | -\n"
		"00:00:10.750 |                                                   * 20\n"
		"00:00:11.000 |                         *                         | 12\n"
		"00:00:11.250 |                                                   | -\n"
		"             v___________________________________________________v\n"
		"             4                                                  20\n");
	assert_string_equal(series(60000000000, true, both, 2, 2),
			    "         -10                                                30\n"
			    "hh:mm:ss |___________________________________________________|\n"
			    "00:01:00 *            .                                      | -10\n"
			    "00:02:00 |            .                                      * 30\n"
			    "         v___________________________________________________v\n"
			    "         -10                                                30\n");
	assert_memory_equal(series(1000, false, &one, 1, 5),
			    "                8                                                  "
			    "10\nhh:mm:ss.\u03bcs     |",
			    84);
	assert_string_equal(series(1000, false, &one, 0, 0), "<no data>\n");
}

/* Entries come by their number modulo n. The newest interval of any key ends all rows. */
static void test_series_rows(void **state)
{
	struct plan_field field = {.type = &t_u32, .offset = 4, .size = 4};
	struct plan_map m = {.name = "@t",
			     .kind = PM_SLOT_HASH,
			     .keys = &field,
			     .n_keys = 1,
			     .key_size = 12,
			     .value = &t_series,
			     .n_words = 3,
			     .bucket_offset = 8};
	struct entry keys[] = {{0, 3, 0}, {0, 9, 1}, {0, 3, 1}, {0, 3, 2}, {0, 5, 0}, {0, 7, 2}};
	uint64_t values[] = {33, 1, 0, 31, 2, 0, 34, 3, 0, 32, 4, 0, 27, 5, 0, 0, 0, 0};
	struct map_snapshot s = {.n_rows = 6, .keys = (uint8_t *)keys, .values = values};
	struct view_map v;

	(void)state;
	t_series.scale[1] = 3;
	t_series.scale[2] = SERIES_LAST;
	assert_int_equal(view_map_make(&m, &s, NULL, &v), 0);
	assert_int_equal(v.n_rows, 4);
	assert_int_equal(v.rows[0].keys[0].integer, 3);
	assert_int_equal(v.rows[0].value.histogram.n, 3);
	assert_int_equal(v.rows[0].value.histogram.buckets[0].count, 4);
	assert_int_equal(v.rows[0].value.histogram.buckets[2].index, 34);
	for (uint32_t i = 1; i < 4; i++) {
		assert_int_equal(v.rows[i].keys[0].integer, 3 + 2 * i);
		assert_int_equal(v.rows[i].value.histogram.n, 0);
		assert_int_equal(v.rows[i].value.histogram.last, 34);
	}
	view_map_free(&v);
}

static void test_quantiles_text(void **state)
{
	const struct type t = {.kind = TY_AGG, .agg = AGG_QUANTILES, .scale = {5}};
	const struct view_bucket b[] = {{0, 1}, {2, 1}, {11, 997}, {41, 1}};
	struct view v;

	(void)state;
	agg_view_buckets(&v, &t, b, 4);
	assert_string_equal(text_of(&v),
			    "{ .count = 1000, .min = <0, .p50 = 10, .p90 = 10, .p99 = 10, "
			    ".p99.9 = 10, .max = 40 }");
	agg_view_buckets(&v, &t, b, 0);
	assert_string_equal(text_of(&v), "{ .count = 0, .min = 0, .p50 = 0, .p90 = 0, .p99 = 0, "
					 ".p99.9 = 0, .max = 0 }");
}

/* ---- entries of buckets ------------------------------------------------------------------ */

static struct type t_hist = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_HIST};

static void test_entries_become_rows(void **state)
{
	struct plan_field field = {.type = &t_u32, .offset = 4, .size = 4};
	struct plan_map m = {.name = "@h",
			     .kind = PM_SLOT_HASH,
			     .keys = &field,
			     .n_keys = 1,
			     .key_size = 12,
			     .value = &t_hist,
			     .value_size = 16,
			     .n_words = 2,
			     .bucket_offset = 8};
	struct entry keys[] = {{0, 9, 5}, {0, 3, 1}, {0, 9, 2}, {0, 4, 7}, {0, 9, 3}};
	uint64_t values[] = {50, 1, 10, 10, 5, 2, 300, 4, 15, 3}; /* sum, count */
	struct map_snapshot s = {.n_rows = 5, .keys = (uint8_t *)keys, .values = values};
	const uint32_t order[] = {2, 3, 5};
	struct view_map v;

	(void)state;
	assert_int_equal(view_map_make(&m, &s, NULL, &v), 0);
	assert_int_equal(v.n_rows, 3);
	assert_int_equal(v.rows[0].keys[0].integer, 4); /* by total: 4, 6, 10 */
	assert_int_equal(v.rows[1].keys[0].integer, 9);
	assert_int_equal(v.rows[2].keys[0].integer, 3);
	assert_int_equal(v.rows[1].value.histogram.n, 3);
	assert_int_equal(v.rows[1].value.histogram.total, 6);
	assert_int_equal(v.rows[1].value.histogram.sum, 70);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(v.rows[1].value.histogram.buckets[i].index, order[i]);
	view_map_limit(&v, 2, 2);
	assert_int_equal(v.n_rows, 2);
	assert_int_equal(v.rows[0].keys[0].integer, 9);
	assert_int_equal(v.rows[0].value.histogram.divisor, 2);
	view_map_free(&v);
}

static void test_keyless_histogram(void **state)
{
	struct plan_map m = {.name = "@",
			     .kind = PM_PERCPU_ARRAY,
			     .value = &t_hist,
			     .value_size = 67 * 8,
			     .n_words = 66,
			     .touched_offset = 66 * 8};
	uint64_t values[66] = {[3] = 2, [64] = 1, [65] = 77};
	struct map_snapshot s = {.n_rows = 1, .values = values};
	struct view_map v;

	(void)state;
	assert_int_equal(view_map_make(&m, &s, NULL, &v), 0);
	assert_int_equal(v.rows[0].value.histogram.n, 2);
	assert_int_equal(v.rows[0].value.histogram.buckets[1].index, 64);
	assert_int_equal(v.rows[0].value.histogram.total, 3);
	assert_int_equal(v.rows[0].value.histogram.sum, 77);
	view_map_free(&v);
}

/* ---- values of two runs -------------------------------------------------------------------- */

static void test_add_buckets(void **state)
{
	struct view_bucket own[] = {{2, 1}, {5, 3}}, other[] = {{1, 4}, {5, 2}, {9, 1}};
	const uint64_t indexes[] = {1, 2, 5, 9}, counts[] = {4, 1, 5, 1};
	struct arena *a = arena_new();
	struct view into, from;

	(void)state;
	agg_view_buckets(&into, &t_hist, own, 2);
	agg_view_buckets(&from, &t_hist, other, 3);
	into.histogram.sum = 100;
	from.histogram.sum = (uint64_t)-30;
	assert_true(agg_add(a, &into, &from));
	assert_int_equal(into.histogram.n, 4);
	assert_int_equal(into.histogram.total, 11);
	assert_int_equal(into.histogram.sum, 70);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(into.histogram.buckets[i].index, indexes[i]);
		assert_int_equal(into.histogram.buckets[i].count, counts[i]);
		assert_int_equal(agg_bucket_of(&t_hist,
					       agg_bucket_begin(&t_hist, (uint32_t)indexes[i])),
				 indexes[i]);
	}
	arena_free(a);
}

static void test_add_words(void **state)
{
	const struct type t_min = {.kind = TY_AGG, .agg = AGG_MIN, .is_signed = true};
	const struct type t_avg = {.kind = TY_AGG, .agg = AGG_AVG, .is_signed = true};
	const struct type t_last = {.kind = TY_AGG,
				    .agg = AGG_TSERIES,
				    .scale = {1, 2, SERIES_LAST}};
	struct view a = {.type = &t_min, .stats = {(uint64_t)-3, 1, 0}}, b = {.type = &t_min};
	struct view c = {.type = &t_avg, .stats = {2, 3, 7}},
		    d = {.type = &t_avg, .stats = {(uint64_t)-10, 2, (uint64_t)-20}};

	(void)state;
	assert_true(agg_add(NULL, &a, &b)); /* of nothing: 0 is no value */
	assert_int_equal((int64_t)a.integer, -3);
	assert_true(agg_add(NULL, &b, &a));
	assert_int_equal((int64_t)b.integer, -3);
	assert_true(agg_add(NULL, &c, &d));
	assert_int_equal((int64_t)c.stats.average, -2);
	assert_int_equal((int64_t)c.stats.total, -13);
	assert_int_equal(c.stats.count, 5);
	assert_false(agg_can_add(&t_last));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_stats_text),
		cmocka_unit_test(test_hist_text),
		cmocka_unit_test(test_hist_labels),
		cmocka_unit_test(test_lhist_text),
		cmocka_unit_test(test_quantiles_text),
		cmocka_unit_test(test_shist_labels),
		cmocka_unit_test(test_series_merge),
		cmocka_unit_test(test_series_text),
		cmocka_unit_test(test_series_rows),
		cmocka_unit_test(test_entries_become_rows),
		cmocka_unit_test(test_keyless_histogram),
		cmocka_unit_test(test_add_buckets),
		cmocka_unit_test(test_add_words),
	};

	return cmocka_run_group_tests_name("agg", tests, NULL, NULL);
}
