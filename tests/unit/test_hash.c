/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash table, against a plain array of what it should hold: insertion, removal in long probe
 * sequences, tables of pointers and of structs, keys that need the table's owner, and no memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

static bool has_memory = true;

/* The sanitizers' allocators abort on sizes beyond all bounds. */
static void *calloc_or_fail(size_t n, size_t size)
{
	return has_memory && n < PTRDIFF_MAX / size ? calloc(n, size) : NULL;
}
#define calloc calloc_or_fail
#include "runtime/base/hash.h"

/* ---- structs by number; the hash is poor on purpose ---- */

struct entry {
	uint32_t number; /* 0: free */
	int value;
};

HASH_TABLE(numbers, struct entry);

HASH_FUNCTIONS(numbers, struct entry, uint32_t, key / 8, a == b, e->number, e->number)

static void test_empty(void **state)
{
	struct numbers h = {0};

	(void)state;
	assert_null(numbers_find(&h, 1));
	assert_false(numbers_remove(&h, 1));
	assert_null(numbers_next(&h, NULL));
	hash_free(&h);
}

enum { RANGE = 512 };

static void assert_holds(const struct numbers *h, const int *values)
{
	size_t n = 0, seen = 0;

	for (uint32_t i = 1; i < RANGE; i++) {
		const struct entry *e = numbers_find(h, i);

		assert_int_equal(e != NULL, values[i] != 0);
		if (e)
			assert_int_equal(e->value, values[i]);
		n += e != NULL;
	}
	assert_int_equal(h->n, n);
	for (const struct entry *e = numbers_next(h, NULL); e; e = numbers_next(h, e)) {
		assert_int_equal(e->value, values[e->number]);
		seen++;
	}
	assert_int_equal(seen, n);
}

/* Insert and remove at random: removal has to keep probe sequences whole, also around the end. */
static void test_random(void **state)
{
	struct numbers h = {0};
	int values[RANGE] = {0};
	uint32_t seed = 1;

	(void)state;
	for (int i = 1; i <= 20000; i++) {
		uint32_t number, most = i < 10000 ? 12 : RANGE - 1;

		seed = seed * 1664525 + 1013904223;
		number = (seed >> 8) % most + 1;
		if (values[number]) {
			assert_true(numbers_remove(&h, number));
			assert_false(numbers_remove(&h, number));
			values[number] = 0;
		} else {
			assert_int_equal(numbers_insert(&h, (struct entry){number, i}), 0);
			values[number] = i;
		}
		if (i % 50 == 0)
			assert_holds(&h, values);
	}
	assert_true(h.n <= h.n_slots / 4 * 3);
	hash_free(&h);
	assert_int_equal(h.n_slots, 0);
}

static void test_reserve(void **state)
{
	struct numbers h = {0};
	struct entry *slots;

	(void)state;
	assert_int_equal(numbers_reserve(&h, 1000), 0);
	slots = h.slots;
	for (uint32_t i = 1; i <= 1000; i++)
		assert_int_equal(numbers_insert(&h, (struct entry){i, 1}), 0);
	assert_ptr_equal(h.slots, slots);
	assert_int_equal(numbers_reserve(&h, 10), 0);
	assert_ptr_equal(h.slots, slots);
	assert_int_equal(numbers_reserve(&h, SIZE_MAX), -ENOMEM);
	assert_int_equal(numbers_reserve(&h, SIZE_MAX / 4), -ENOMEM);
	assert_non_null(numbers_find(&h, 1000));
	hash_free(&h);
}

static void test_no_memory(void **state)
{
	struct numbers h = {0};
	int values[RANGE] = {0};
	uint32_t i = 1;
	int err;

	(void)state;
	has_memory = false;
	assert_int_equal(numbers_insert(&h, (struct entry){1, 1}), -ENOMEM);
	assert_holds(&h, values);
	has_memory = true;
	assert_int_equal(numbers_reserve(&h, 1), 0);
	has_memory = false;
	while (!(err = numbers_insert(&h, (struct entry){i, 7})))
		values[i++] = 7;
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(h.n, HASH_SLOTS_MIN / 4 * 3);
	assert_holds(&h, values);
	assert_true(numbers_remove(&h, 1)); /* needs no memory, and frees one slot */
	assert_int_equal(numbers_insert(&h, (struct entry){1, 7}), 0);
	assert_holds(&h, values);
	has_memory = true;
	assert_int_equal(numbers_insert(&h, (struct entry){i, 7}), 0);
	values[i] = 7;
	assert_holds(&h, values);
	hash_free(&h);
}

/* ---- indexes into an array that the table's owner has ---- */

HASH_TABLE(word_index, uint32_t);

struct words {
	const char *const *items;
	struct word_index index; /* of items, plus 1 */
};

HASH_FUNCTIONS(word_index, uint32_t, const char *, hash_string(key), strcmp(a, b) == 0,
	       HASH_TABLE_OWNER(h, struct words, index)->items[*e - 1], *e)

static void test_owner(void **state)
{
	static const char *const items[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
					    "j", "k", "l", "m", "n", "o", "p", "q", "r"};
	enum { N = sizeof(items) / sizeof(*items) };
	struct words w = {.items = items};

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(word_index_insert(&w.index, i + 1), 0);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(*word_index_find(&w.index, items[i]), i + 1);
	assert_null(word_index_find(&w.index, "z"));
	assert_true(word_index_remove(&w.index, "a"));
	assert_null(word_index_find(&w.index, "a"));
	assert_int_equal(w.index.n, N - 1);
	hash_free(&w.index);
}

static void test_hash_functions(void **state)
{
	uint64_t low = 0;

	(void)state;
	assert_true(hash_string("abc") == hash_bytes("abc", 3));
	assert_true(hash_string("abc") != hash_string("acb"));
	/* Keys that differ in their upper bits only must differ in the lower ones of the hash. */
	for (uint64_t i = 0; i < 64; i++)
		low |= 1ull << (hash_u64(i << 40) & 63);
	assert_true(__builtin_popcountll(low) > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	cmocka_unit_test(test_random),
		cmocka_unit_test(test_reserve), cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_owner),	cmocka_unit_test(test_hash_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
