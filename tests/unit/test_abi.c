/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations of arguments under the System V and arm64 calling conventions, as gcc 12 and clang 14
 * pass them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <elf.h>
#include "runtime/elf/abi.h"

#define WORD(size_) {.size = size_, .align = size_, .leaves = {{0, size_, ABI_INT}}, .n_leaves = 1}
#define REAL(size_) \
	{.size = size_, .align = size_, .leaves = {{0, size_, ABI_FLOAT}}, .n_leaves = 1}

static const struct abi_value byte = WORD(1), word = WORD(8), wide = WORD(16), real = REAL(8),
			      single = REAL(4);
static const struct abi_value x87 = {.size = 16,
				     .align = 16,
				     .leaves = {{0, 16, ABI_X87}},
				     .n_leaves = 1};
static const struct abi_value x87_complex = {.size = 32,
					     .align = 16,
					     .is_complex = true,
					     .n_leaves = 2,
					     .leaves = {{0, 16, ABI_X87}, {16, 16, ABI_X87}}};
static const struct abi_value complex = {.size = 16,
					 .align = 8,
					 .is_complex = true,
					 .n_leaves = 2,
					 .leaves = {{0, 8, ABI_FLOAT}, {8, 8, ABI_FLOAT}}};
static const struct abi_value pair = {.size = 16,
				      .align = 8,
				      .is_aggregate = true,
				      .n_leaves = 2,
				      .leaves = {{0, 8, ABI_INT}, {8, 8, ABI_INT}}};
static const struct abi_value mixed = {.size = 16,
				       .align = 8,
				       .is_aggregate = true,
				       .n_leaves = 2,
				       .leaves = {{0, 8, ABI_FLOAT}, {8, 4, ABI_INT}}};
/* two floats and an int: an eightbyte of floats, one of integers */
static const struct abi_value floats_int = {.size = 12,
					    .align = 4,
					    .is_aggregate = true,
					    .n_leaves = 3,
					    .leaves = {{0, 4, ABI_FLOAT},
						       {4, 4, ABI_FLOAT},
						       {8, 4, ABI_INT}}};
/* float and int in one eightbyte: integer wins */
static const struct abi_value float_int = {.size = 8,
					   .align = 4,
					   .is_aggregate = true,
					   .n_leaves = 2,
					   .leaves = {{0, 4, ABI_FLOAT}, {4, 4, ABI_INT}}};
static const struct abi_value big = {.size = 40,
				     .align = 8,
				     .is_aggregate = true,
				     .n_leaves = 5,
				     .leaves = {{0, 8, ABI_INT},
						{8, 8, ABI_INT},
						{16, 8, ABI_INT},
						{24, 8, ABI_INT},
						{32, 8, ABI_INT}}};
static const struct abi_value packed = {.size = 9,
					.align = 1,
					.is_aggregate = true,
					.n_leaves = 2,
					.leaves = {{0, 1, ABI_INT}, {1, 8, ABI_INT}}};
static const struct abi_value four_floats = {
	.size = 16,
	.align = 4,
	.is_aggregate = true,
	.n_leaves = 4,
	.leaves = {{0, 4, ABI_FLOAT}, {4, 4, ABI_FLOAT}, {8, 4, ABI_FLOAT}, {12, 4, ABI_FLOAT}}};
static const struct abi_value four_reals = {
	.size = 32,
	.align = 8,
	.is_aggregate = true,
	.n_leaves = 4,
	.leaves = {{0, 8, ABI_FLOAT}, {8, 8, ABI_FLOAT}, {16, 8, ABI_FLOAT}, {24, 8, ABI_FLOAT}}};
static const struct abi_value vector = {.size = 32,
					.align = 32,
					.leaves = {{0, 32, ABI_VECTOR}},
					.n_leaves = 1};
static const struct abi_value aligned = {
	.size = 32, .align = 32, .is_aggregate = true, .n_leaves = 1, .leaves = {{0, 8, ABI_INT}}};
static const struct abi_value empty = {.size = 1, .align = 1, .is_aggregate = true};
static const struct abi_value nothing = {.is_aggregate = true};
static const struct abi_value by_reference = {.size = 40,
					      .align = 8,
					      .is_aggregate = true,
					      .is_reference = true};
static const struct abi_value rust_text = {.size = 16,
					   .align = 8,
					   .is_aggregate = true,
					   .is_pair = true,
					   .n_leaves = 2,
					   .leaves = {{0, 8, ABI_INT}, {8, 8, ABI_INT}}};

enum { N = ABI_NO_WORD, MAX = 12 };

struct list {
	const struct abi_value *result;
	const struct abi_value *args[MAX];
	int words[MAX];
};

static void check(uint16_t machine, const struct list *lists, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct abi_args a;

		assert_true(abi_begin(&a, machine, lists[i].result));
		for (int k = 0; k < MAX && lists[i].args[k]; k++) {
			int got = abi_next(&a, lists[i].args[k]);

			if (got != lists[i].words[k])
				print_error("list %zu, argument %d: %d\n", i, k, got);
			assert_int_equal(got, lists[i].words[k]);
		}
	}
}
#define CHECK(machine, lists) check(machine, lists, sizeof(lists) / sizeof(*(lists)))

static void test_x86(void **state)
{
	static const struct list lists[] = {
		{NULL,
		 {&byte, &word, &byte, &word, &byte, &word, &word, &byte},
		 {0, 1, 2, 3, 4, 5, 6, 7}},
		{NULL, {&real, &word, &single, &byte, &complex, &word}, {N, 0, N, 1, N, 2}},
		{NULL, {&word, &pair, &word, &pair, &word, &word}, {0, 1, 3, 4, 6, 7}},
		/* the second pair does not fit, what follows does */
		{NULL, {&word, &word, &word, &pair, &pair, &word, &word}, {0, 1, 2, 3, 6, 5, 8}},
		{NULL, {&mixed, &word, &floats_int, &float_int, &word}, {0, 1, 2, 3, 4}},
		{NULL, {&word, &big, &word, &packed, &word}, {0, 6, 1, 11, 2}},
		{NULL, {&x87, &word, &x87, &word}, {6, 0, 8, 1}},
		{NULL, {&wide, &word, &word, &word, &wide, &word, &byte}, {0, 2, 3, 4, 6, 5, 8}},
		/* 16 bytes are at a multiple of 16 on the stack, 32 of 32 */
		{NULL,
		 {&word, &word, &word, &word, &word, &word, &word, &wide, &word},
		 {0, 1, 2, 3, 4, 5, 6, 8, 10}},
		{NULL, {&packed, &aligned, &word, &packed}, {6, 10, 0, 14}},
		{NULL, {&vector, &word, &four_floats, &word}, {N, 0, N, 1}},
		{NULL, {&four_reals, &word, &word}, {6, 0, 1}},
		{NULL, {&empty, &word, &nothing, &word}, {N, 0, N, 1}},
		{NULL, {&by_reference, &word, &big}, {0, 1, 6}},
		{NULL,
		 {&word, &word, &word, &word, &word, &rust_text, &word},
		 {0, 1, 2, 3, 4, 5, 7}},
		/* a result in memory takes the first register */
		{&big, {&word, &word}, {1, 2}},
		{&by_reference, {&word}, {1}},
		{&packed, {&word}, {1}},
		{&pair, {&word}, {0}},
		{&x87, {&word}, {0}},
		{&x87_complex, {&word}, {0}},
		{&vector, {&word}, {0}},
		{&nothing, {&word}, {0}},
	};

	(void)state;
	CHECK(EM_X86_64, lists);
}

/* Eight registers for floating-point numbers; the ninth is on the stack. */
static void test_x86_floats(void **state)
{
	static const struct list list[] = {
		{NULL,
		 {&real, &real, &real, &real, &real, &real, &real, &mixed, &real, &mixed, &word},
		 {N, N, N, N, N, N, N, 0, 6, 7, 1}}};

	(void)state;
	CHECK(EM_X86_64, list);
}

static void test_arm(void **state)
{
	static const struct list lists[] = {
		{NULL,
		 {&word, &word, &word, &word, &word, &word, &word, &word, &byte, &word},
		 {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{NULL,
		 {&real, &word, &complex, &word, &four_floats, &four_reals, &word},
		 {N, 0, N, 1, N, 8, 2}},
		{NULL, {&word, &pair, &mixed, &word}, {0, 1, 3, 5}},
		{NULL, {&word, &wide, &word}, {0, 2, 4}},
		/* what does not fit ends the registers */
		{NULL,
		 {&word, &word, &word, &word, &word, &word, &word, &pair, &word},
		 {0, 1, 2, 3, 4, 5, 6, 8, 10}},
		{NULL, {&big, &word}, {0, 1}},
		{NULL, {&empty, &word, &nothing, &word}, {0, 1, N, 2}},
		{NULL, {&by_reference, &word}, {0, 1}},
		{&big, {&word}, {0}},
	};

	(void)state;
	CHECK(EM_AARCH64, lists);
}

static void test_registers(void **state)
{
	static const int x86[] = {N, 2, 3, N, 1, 0, N, N, 4, 5, N};
	static const int go[] = {0, N, 2, 1, 4, 3, N, N, 5, 6, 7, 8};
	struct abi_args a;

	(void)state;
	for (unsigned i = 0; i < sizeof(x86) / sizeof(*x86); i++)
		assert_int_equal(abi_word_of(EM_X86_64, i), x86[i]);
	for (unsigned i = 0; i < sizeof(go) / sizeof(*go); i++)
		assert_int_equal(abi_go_word_of(EM_X86_64, i), go[i]);
	assert_int_equal(abi_go_word_of(EM_X86_64, 12), N);
	assert_int_equal(abi_go_word_of(EM_AARCH64, 15), 15);
	assert_int_equal(abi_go_word_of(EM_AARCH64, 16), N);
	assert_int_equal(abi_word_of(EM_AARCH64, 7), 7);
	assert_int_equal(abi_word_of(EM_AARCH64, 8), N);
	assert_false(abi_begin(&a, EM_PPC64, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_x86_floats),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
