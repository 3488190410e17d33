/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of callers on the kernel stack: bpf_helpers/chain.h, compiled for user space, must find
 * the location of a return address among words that are equal by chance, or report that it cannot.
 */
#include "bpf_helpers/chain.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { HASH = 77, OTHER = 88, N = 6, TOP = 0x600 };

/* A capture: the program, bpf_trace_run2, three links, the entry code. */
static const uint64_t frames[N + CHAIN_LINKS] = {0x100, 0x200, 0x300, 0x400, 0x500, TOP};
static const uint64_t others[N + CHAIN_LINKS] = {0x100, 0x200, 0x301, 0x400, 0x500, TOP};

static void put(uint64_t *window, const uint64_t *ips)
{
	memset(window, 0, CHAIN_WORDS * sizeof(*window));
	window[5] = ips[2];
	window[7] = ips[3];
	window[12] = ips[4];
	window[CHAIN_TOP] = TOP;
}

static void capture(struct sonde_chain *c, const uint64_t *ips, uint64_t hash,
		    const uint64_t *window)
{
	sonde_chain_learn(c, ips, N, hash, c->turn, window[c->turn], window[CHAIN_TOP]);
}

static void learn(struct sonde_chain *c, uint64_t *window)
{
	memset(c, 0, sizeof(*c));
	put(window, frames);
	for (int i = 0; i < 2 * CHAIN_TRIES; i++)
		capture(c, frames, HASH, window);
}

static void test_learned_and_compared(void **state)
{
	uint64_t window[CHAIN_WORDS];
	struct sonde_chain c;

	(void)state;
	learn(&c, window);
	assert_int_equal(c.hash, HASH);
	assert_int_equal(c.links[0].at, 5);
	assert_int_equal(c.links[1].at, 7);
	assert_int_equal(c.links[2].at, 12);
	assert_int_equal(sonde_chain_differs(&c, window), 0);
	for (uint32_t i = 0; i < CHAIN_WORDS; i++) {
		int used = i == 5 || i == 7 || i == 12 || i == CHAIN_TOP;

		window[i] ^= 1ull << 63;
		assert_int_equal(sonde_chain_differs(&c, window) != 0, used);
		window[i] ^= 1ull << 63;
	}
}

static void test_not_before_enough_agree(void **state)
{
	struct sonde_chain c = {0};
	uint64_t window[CHAIN_WORDS];
	int i = 0;

	(void)state;
	put(window, frames);
	for (; !c.hash && i < 10 * CHAIN_TRIES; i++)
		capture(&c, frames, HASH, window);
	assert_in_range(i, CHAIN_TRIES, CHAIN_TRIES + CHAIN_WINDOW + 1);
}

/* An old return address beside the true one, always: they cannot be distinguished. Once it is gone in
 * some captures, it can. */
static void test_a_double_is_not_taken(void **state)
{
	struct sonde_chain c = {0};
	uint64_t window[CHAIN_WORDS];

	(void)state;
	put(window, frames);
	window[3] = window[20] = frames[3];
	for (int i = 0; i < 10 * CHAIN_TRIES; i++)
		capture(&c, frames, HASH, window);
	assert_int_equal(c.hash, 0);
	for (int i = 0; i < 10 * CHAIN_TRIES; i++) {
		window[3] = i / 100 % 2 ? frames[3] : 0;
		window[20] = i / 100 % 2 ? 0 : frames[3];
		capture(&c, frames, HASH, window);
	}
	assert_int_equal(c.hash, HASH);
	assert_int_equal(c.links[1].at, 7);
}

/* A frame of variable size: its return address is at one of two places. */
static void test_no_fixed_place(void **state)
{
	struct sonde_chain c = {0};
	uint64_t window[CHAIN_WORDS];

	(void)state;
	put(window, frames);
	for (int i = 0; i < 100 * CHAIN_TRIES; i++) {
		window[12] = i / 50 % 2 ? frames[4] : 0;
		window[14] = i / 50 % 2 ? 0 : frames[4];
		capture(&c, frames, HASH, window);
	}
	assert_int_equal(c.hash, 0);
}

static void test_a_place_that_is_nowhere(void **state)
{
	struct sonde_chain c = {0};
	uint64_t window[CHAIN_WORDS];

	(void)state;
	put(window, frames);
	window[7] = 0x999; /* a tracer's trampoline */
	for (int i = 0; i < 10 * CHAIN_TRIES; i++)
		capture(&c, frames, HASH, window);
	assert_int_equal(c.hash, 0);
}

/* A few captures of another chain change nothing, many in a row are learned instead. */
static void test_another_chain(void **state)
{
	uint64_t window[CHAIN_WORDS], other[CHAIN_WORDS];
	struct sonde_chain c;

	(void)state;
	learn(&c, window);
	put(other, others);
	assert_int_not_equal(sonde_chain_differs(&c, other), 0);
	for (int i = 0; i < CHAIN_STRIKES - 1; i++)
		capture(&c, others, OTHER, other);
	assert_int_equal(c.hash, HASH);
	assert_int_equal(sonde_chain_differs(&c, window), 0);
	capture(&c, others, OTHER, other);
	assert_int_equal(c.hash, 0);
	for (int i = 0; i < 2 * CHAIN_TRIES; i++)
		capture(&c, others, OTHER, other);
	assert_int_equal(c.hash, OTHER);
	assert_int_equal(sonde_chain_differs(&c, other), 0);
	assert_int_not_equal(sonde_chain_differs(&c, window), 0);
}

/* In turns, neither is learned: what is shown is the unwinder's. */
static void test_two_chains_in_turns(void **state)
{
	uint64_t window[CHAIN_WORDS], other[CHAIN_WORDS];
	struct sonde_chain c = {0};

	(void)state;
	put(window, frames);
	put(other, others);
	for (int i = 0; i < 10 * CHAIN_TRIES; i++) {
		capture(&c, i % 2 ? others : frames, i % 2 ? OTHER : HASH, i % 2 ? other : window);
		assert_int_equal(c.hash, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learned_and_compared),
		cmocka_unit_test(test_not_before_enough_agree),
		cmocka_unit_test(test_a_double_is_not_taken),
		cmocka_unit_test(test_no_fixed_place),
		cmocka_unit_test(test_a_place_that_is_nowhere),
		cmocka_unit_test(test_another_chain),
		cmocka_unit_test(test_two_chains_in_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
