/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator of words for unwind tables: no two allocations overlap, none crosses a chunk, words
 * come back only after a settle, and everything that is returned becomes whole chunks again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "bpf_helpers/unwind.h"
#include "runtime/unwind/extents.h"

enum { N_CHUNKS = 4, N_TAKEN = 3000, N_ROUNDS = 20000 };

static struct extents with_chunks(uint32_t n)
{
	struct extents e = {0};

	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(extents_add_chunk(&e, i), 0);
	return e;
}

static void test_address_0_is_never_used(void **state)
{
	struct extents e = with_chunks(1);

	(void)state;
	assert_true(extents_allocate(&e, 1) > 0);
	assert_int_equal(extents_allocate(&e, UNWIND_CHUNK_WORDS), 0);
	extents_free(&e);
}

static void test_whole_chunks(void **state)
{
	struct extents e = with_chunks(3);

	(void)state;
	assert_int_equal(extents_allocate(&e, UNWIND_CHUNK_WORDS) % UNWIND_CHUNK_WORDS, 0);
	assert_int_equal(extents_allocate(&e, UNWIND_CHUNK_WORDS) % UNWIND_CHUNK_WORDS, 0);
	assert_int_equal(extents_allocate(&e, UNWIND_CHUNK_WORDS), 0);
	assert_int_equal(extents_allocate(&e, UNWIND_CHUNK_WORDS + 1), 0);
	assert_int_equal(extents_allocate(&e, 0), 0);
	extents_free(&e);
}

static void test_returned_words_wait(void **state)
{
	struct extents e = with_chunks(1);
	uint32_t n = UNWIND_CHUNK_WORDS - EXTENT_WORDS, all = extents_allocate(&e, n);

	(void)state;
	assert_int_equal(all, EXTENT_WORDS);
	extents_return(&e, all, n);
	assert_int_equal(extents_allocate(&e, 1), 0);
	assert_int_equal(e.n_returned, n);
	extents_settle(&e);
	assert_int_equal(e.n_returned, 0);
	assert_int_equal(extents_allocate(&e, n), all);
	extents_free(&e);
}

struct taken {
	uint32_t address, n;
};

static void check_alone(const struct taken *all, uint32_t at)
{
	uint32_t start = all[at].address, end = start + all[at].n;

	assert_int_equal(start % EXTENT_WORDS, 0);
	assert_int_equal(start / UNWIND_CHUNK_WORDS, (end - 1) / UNWIND_CHUNK_WORDS);
	for (uint32_t i = 0; i < N_TAKEN; i++)
		if (i != at && all[i].address)
			assert_true(end <= all[i].address || start >= all[i].address + all[i].n);
}

static void test_random(void **state)
{
	struct extents e = with_chunks(N_CHUNKS);
	struct taken *all = calloc(N_TAKEN, sizeof(*all));
	uint64_t n_words = e.n_free;

	(void)state;
	srand(1);
	for (int round = 0; round < N_ROUNDS; round++) {
		uint32_t at = (uint32_t)rand() % N_TAKEN;

		if (all[at].address) {
			extents_return(&e, all[at].address, all[at].n);
			all[at].address = 0;
		} else {
			all[at].n = 1 + (uint32_t)rand() % (round % 16 ? 200 : 20000);
			all[at].address = extents_allocate(&e, all[at].n);
			if (all[at].address)
				check_alone(all, at);
		}
		if (round % 64 == 0)
			extents_settle(&e);
	}
	for (uint32_t i = 0; i < N_TAKEN; i++)
		if (all[i].address)
			extents_return(&e, all[i].address, all[i].n);
	extents_settle(&e);
	assert_int_equal(e.n_free, n_words);
	assert_int_equal(e.free.n, N_CHUNKS);
	free(all);
	extents_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_0_is_never_used),
		cmocka_unit_test(test_whole_chunks),
		cmocka_unit_test(test_returned_words_wait),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
