/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buckets of histograms: bpf_helpers/bucket.h, compiled for user space, against the definition
 * and against the bounds that user space prints.
 */
#include "bpf_helpers/bucket.h"
#include "runtime/view/agg.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The definition, written out: floor(log2) counted bit by bit. */
static uint64_t defined_log(int64_t n, uint32_t k)
{
	uint32_t l = 0;

	if (n < 0)
		return 0;
	if (n <= (1 << k) - 1)
		return (uint64_t)n + 1;
	while ((uint64_t)n >> (l + 1))
		l++;
	l -= k;
	return ((uint64_t)(l + 1) << k) + (((uint64_t)n >> l) & ((1u << k) - 1)) + 1;
}

static uint64_t defined_linear(int64_t n, int64_t min, int64_t max, int64_t step)
{
	if (n < min)
		return 0;
	if (n > max)
		return (uint64_t)(1 + (max - min) / step);
	return (uint64_t)(1 + (n - min) / step);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Around each power of two, and 100,000 numbers of every length. */
static void test_log_is_as_defined(void **state)
{
	uint64_t random = 88172645463325252ull;

	(void)state;
	for (uint32_t k = 0; k <= 5; k++) {
		for (uint32_t p = 0; p < 64; p++)
			for (int64_t d = -2; d <= 2; d++) {
				int64_t n = (int64_t)((1ull << p) + (uint64_t)d);

				assert_int_equal(sonde_bucket_log(n, k), defined_log(n, k));
			}
		for (int i = 0; i < 100000; i++) {
			int64_t n = (int64_t)(next_random(&random) >> (random & 63));

			assert_int_equal(sonde_bucket_log(n, k), defined_log(n, k));
		}
	}
	assert_int_equal(sonde_bucket_log(INT64_MIN, 0), 0);
	assert_int_equal(sonde_bucket_log(0, 0), 1);
	assert_int_equal(sonde_bucket_log(1, 0), 2);
	assert_int_equal(sonde_bucket_log(4, 0), 4);
	assert_int_equal(sonde_bucket_log(INT64_MAX, 0), 64);
}

static void test_linear_is_as_defined(void **state)
{
	(void)state;
	for (int64_t step = 1; step < 12; step++)
		for (int64_t n = -30; n < 150; n++)
			assert_int_equal(sonde_bucket_linear(n, 5, 105, (uint64_t)step),
					 defined_linear(n, 5, 105, step));
	assert_int_equal(sonde_bucket_linear(INT64_MIN, 0, 100, 10), 0);
	assert_int_equal(sonde_bucket_linear(100, 0, 100, 10), 11);
	assert_int_equal(sonde_bucket_linear(INT64_MAX, 0, INT64_MAX, 1ull << 60), 8);
}

/* A value lies between its bucket's begin and the next one's. */
static void check_begins(const struct type *t, int64_t n, uint64_t bucket)
{
	assert_true(bucket < agg_buckets(t));
	assert_true(agg_bucket_begin(t, (uint32_t)bucket) <= n);
	if (bucket + 1 < agg_buckets(t))
		assert_true(n < agg_bucket_begin(t, (uint32_t)bucket + 1));
}

static void test_begins_are_the_inverse(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_HIST};
	uint64_t random = 362436069ull;

	(void)state;
	for (uint32_t k = 0; k <= 5; k++) {
		t.scale[0] = k;
		for (int i = 0; i < 100000; i++) {
			int64_t n = (int64_t)(next_random(&random) >> (random & 63));

			check_begins(&t, n, sonde_bucket_log(n, k));
		}
		check_begins(&t, INT64_MAX - 1, sonde_bucket_log(INT64_MAX - 1, k));
	}
	t.agg = AGG_SHIST;
	for (uint32_t k = 0; k <= 5; k++) {
		t.scale[0] = k;
		for (int i = 0; i < 100000; i++) {
			int64_t n = (int64_t)(next_random(&random) >> (random & 63));

			check_begins(&t, n, sonde_bucket_signed(n, k));
			check_begins(&t, -n, sonde_bucket_signed(-n, k));
		}
		check_begins(&t, 2 - INT64_MAX, sonde_bucket_signed(2 - INT64_MAX, k));
		assert_int_equal(sonde_bucket_signed(INT64_MIN, k), 0);
	}
	t = (struct type){.kind = TY_AGG, .agg = AGG_LHIST, .scale = {10, 95, 20}};
	for (int64_t n = 0; n < 200; n++)
		check_begins(&t, n, sonde_bucket_linear(n, 10, 95, 20));
}

/* Of one value, quantiles shows the middle of its bucket: at most 3 % from it. */
static void test_quantiles_are_near(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_QUANTILES, .scale = {5}};
	uint64_t random = 521288629ull;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int64_t n = (int64_t)(next_random(&random) >> 1 >> (random & 62));
		struct view_bucket b = {(uint32_t)sonde_bucket_log(n, 5), 3};
		struct view v;
		int64_t half;

		agg_view_buckets(&v, &t, &b, 1);
		half = agg_quantile(&v, 500);
		for (int k = 0; k < SHOWN_QUANTILES; k++)
			assert_true(agg_quantile(&v, agg_shown_quantiles[k].per_mille) == half);
		assert_true((half > n ? half - n : n - half) <= (n < 64 ? 0 : n / 33));
	}
}

static void test_sizes(void **state)
{
	struct type t = {.kind = TY_AGG, .agg = AGG_HIST};

	(void)state;
	assert_int_equal(agg_buckets(&t), 65);
	t.scale[0] = 5;
	assert_int_equal(agg_buckets(&t), 1889);
	t = (struct type){.kind = TY_AGG, .agg = AGG_LHIST, .scale = {0, 100, 10}};
	assert_int_equal(agg_buckets(&t), 12);
	assert_int_equal(agg_words(&t, true), 2);   /* the sum, the count */
	assert_int_equal(agg_words(&t, false), 13); /* the sum is last */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_is_as_defined),
		cmocka_unit_test(test_linear_is_as_defined),
		cmocka_unit_test(test_begins_are_the_inverse),
		cmocka_unit_test(test_quantiles_are_near),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests_name("bucket", tests, NULL, NULL);
}
