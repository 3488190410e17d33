/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges made of made-up files and mappings: every address of a mapping is in exactly one range,
 * whose piece and origin are those of the address as linked, and nothing that a file states makes
 * ranges overlap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include "runtime/unwind/directory.h"
#include "runtime/unwind/table.h"

enum { N_ROUNDS = 2000, MAX_PARTS = 8 };

/* Sorted, without overlap and without gaps from `start` to `end`. */
static void check_shape(const struct unwind_ranges *r, uint64_t start, uint64_t end)
{
	assert_true(r->n > 0);
	assert_int_equal(r->items[0].start, start);
	assert_int_equal(r->items[r->n - 1].end, end);
	for (size_t i = 0; i < r->n; i++) {
		assert_true(r->items[i].start < r->items[i].end);
		assert_true(!r->items[i].piece == !!(r->items[i].flags & UNWIND_RANGE_NO_TABLE));
		if (i)
			assert_int_equal(r->items[i].start, r->items[i - 1].end);
	}
}

static const struct unwind_range *find(const struct unwind_ranges *r, uint64_t x)
{
	for (size_t i = 0; i < r->n; i++)
		if (x >= r->items[i].start && x < r->items[i].end)
			return &r->items[i];
	return NULL;
}

static void test_without_a_table(void **state)
{
	struct unwind_ranges d = {0}, m = {0};

	(void)state;
	assert_int_equal(unwind_directory_empty(&d), 0);
	check_shape(&d, 0, UNWIND_OFFSET_MAX);
	assert_int_equal(unwind_directory_map(d.items, d.n, 0x7f0000001000, 0x7f0000003000, 0x5000,
					      &m),
			 0);
	assert_int_equal(m.n, 1);
	check_shape(&m, 0x7f0000001000, 0x7f0000003000);
	assert_int_equal(m.items[0].flags, UNWIND_RANGE_NO_TABLE);
	vec_free(&d);
	vec_free(&m);
}

/* A library of two pieces, linked at 0x21000, of which code is in the file at 0x20000. */
static void test_library(void **state)
{
	struct unwind_piece pieces[] = {{.start = 0x21000, .end = 0x40000},
					{.start = 0x40000, .end = 0x50080}};
	struct unwind_segment segment = {.file_offset = 0x20000,
					 .address = 0x21080,
					 .bytes = 0x30000};
	struct unwind_table t = {.pieces = pieces,
				 .n_pieces = 2,
				 .segments = &segment,
				 .n_segments = 1};
	struct unwind_ranges d = {0}, m = {0};
	const struct unwind_range *r;

	(void)state;
	assert_int_equal(unwind_directory_make(&t, (const uint32_t[]){8, 800}, &d), 0);
	check_shape(&d, 0, UNWIND_OFFSET_MAX);
	assert_int_equal(unwind_directory_map(d.items, d.n, 0x7f0000000000, 0x7f0000060000, 0x20000,
					      &m),
			 0);
	check_shape(&m, 0x7f0000000000, 0x7f0000060000);
	r = find(&m, 0x7f0000000000); /* linked at 0x21080 */
	assert_int_equal(r->piece, 8);
	assert_int_equal(0x7f0000000000 - r->origin, 0x80);
	r = find(&m, 0x7f0000000000 + 0x40000 - 0x21080);
	assert_int_equal(r->piece, 800);
	assert_int_equal(r->origin, r->start);
	assert_int_equal(find(&m, 0x7f0000000000 + 0x50080 - 0x21080)->piece, 0);
	vec_free(&d);
	vec_free(&m);
}

static uint64_t random_below(uint64_t n)
{
	return ((uint64_t)rand() << 31 | (uint64_t)rand()) % n;
}

/* One file of several segments, mapped in several parts, as huge pages for code do it. */
static void check_random(void)
{
	struct unwind_piece pieces[MAX_PARTS] = {0};
	struct unwind_segment segments[MAX_PARTS] = {0};
	struct unwind_table t = {.pieces = pieces, .segments = segments};
	struct unwind_ranges d = {0}, m = {0};
	uint32_t addresses[MAX_PARTS];
	uint64_t address = 0, offset = 0, base = 0x550000000000, start = base;

	while (t.n_pieces < MAX_PARTS) {
		pieces[t.n_pieces].start = address += random_below(16) * UNWIND_BLOCK_BYTES;
		pieces[t.n_pieces].end = address += 1 + random_below(0x4000);
		addresses[t.n_pieces] = 8 * (t.n_pieces + 1);
		t.n_pieces++;
		address = (address + UNWIND_BLOCK_BYTES - 1) / UNWIND_BLOCK_BYTES *
			  UNWIND_BLOCK_BYTES;
	}
	while (t.n_segments < 3) {
		segments[t.n_segments] = (struct unwind_segment){.file_offset = offset,
								 .address = offset,
								 .bytes = random_below(0x8000)};
		offset += segments[t.n_segments++].bytes + random_below(0x1000);
	}
	assert_int_equal(unwind_directory_make(&t, addresses, &d), 0);
	check_shape(&d, 0, UNWIND_OFFSET_MAX);
	for (int i = 0; i < 4; i++) {
		uint64_t bytes = 1 + random_below(0x6000);

		assert_int_equal(unwind_directory_map(d.items, d.n, start, start + bytes,
						      start - base, &m),
				 0);
		start += bytes;
	}
	check_shape(&m, base, start);
	for (size_t i = 0; i < m.n; i++)
		for (uint32_t k = 0; m.items[i].piece && k < t.n_pieces; k++)
			if (addresses[k] == m.items[i].piece) {
				assert_int_equal(m.items[i].origin - base, pieces[k].start);
				assert_true(m.items[i].end - base <= pieces[k].end);
			}
	vec_free(&d);
	vec_free(&m);
}

static void test_random(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < N_ROUNDS; i++)
		check_random();
}

/* Segments that overlap in the file, that wrap around, and that claim all of it. */
static void test_hostile(void **state)
{
	struct unwind_piece pieces[] = {{.start = 0, .end = 0x1000},
					{.start = 0x1000, .end = UINT64_MAX}};
	struct unwind_segment segments[] = {
		{.file_offset = 0x1000, .address = 0, .bytes = 0x1000},
		{.file_offset = 0x1800, .address = 0, .bytes = 0x1000},
		{.file_offset = UINT64_MAX - 0x10, .address = 0, .bytes = 0x1000},
		{.file_offset = 0, .address = 0x800, .bytes = UINT64_MAX},
		{.file_offset = 0x100, .address = UINT64_MAX - 0x10, .bytes = 0x1000},
	};
	struct unwind_table t = {.pieces = pieces,
				 .n_pieces = 2,
				 .segments = segments,
				 .n_segments = 5};
	struct unwind_ranges d = {0};

	(void)state;
	assert_int_equal(unwind_directory_make(&t, (const uint32_t[]){8, 800}, &d), 0);
	check_shape(&d, 0, UNWIND_OFFSET_MAX);
	vec_free(&d);
}

static void test_too_many(void **state)
{
	struct unwind_piece *pieces = calloc(UNWIND_RANGES, sizeof(*pieces));
	uint32_t *addresses = calloc(UNWIND_RANGES, sizeof(*addresses));
	struct unwind_segment segment = {.bytes = UINT32_MAX};
	struct unwind_table t = {.pieces = pieces,
				 .n_pieces = UNWIND_RANGES,
				 .segments = &segment,
				 .n_segments = 1};
	struct unwind_ranges d = {0}, m = {0};
	int err = 0;

	(void)state;
	for (uint32_t i = 0; i < UNWIND_RANGES; i++) {
		pieces[i] = (struct unwind_piece){.start = i * 0x200, .end = i * 0x200 + 0x80};
		addresses[i] = 8;
	}
	assert_int_equal(unwind_directory_make(&t, addresses, &d), -E2BIG);
	for (uint64_t i = 0; i <= UNWIND_RANGES && !err; i++)
		err = unwind_directory_add_plain(0x1000 * i, 0x1000 * i + 0x800, 0, &m);
	assert_int_equal(err, -E2BIG);
	assert_int_equal(m.n, UNWIND_RANGES);
	vec_free(&d);
	vec_free(&m);
	free(pieces);
	free(addresses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_table), cmocka_unit_test(test_library),
		cmocka_unit_test(test_random),		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
