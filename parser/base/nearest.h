/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean": finds the name nearest to an unknown word.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* The candidate nearest to `word` by edit distance, which may be at most 3 and at most a third of
 * the word's length; a common prefix breaks ties. */
struct nearest {
	const char *word;
	const char *best;
	unsigned best_distance;
	struct arena *arena; /* where copies of candidates are made; NULL: the pointers are kept */
};
void nearest_init(struct nearest *n, const char *word);
/* True if it is the nearest so far; NULL never is. */
bool nearest_offer(struct nearest *n, const char *candidate);
/* The same, as a callback: `near` is a struct nearest. */
void nearest_offer_name(const char *candidate, void *near);

/* The nearest to WORD among the names of `n` items, or NULL. NAME is an expression of the address
 * `item`; NULL: this one is not offered. */
#define NEAREST(word, items, n, NAME)                            \
	({                                                       \
		__typeof__((items) + 0) item = (items);          \
		struct nearest nearest_;                         \
                                                                 \
		nearest_init(&nearest_, (word));                 \
		for (size_t left_ = (n); left_; left_--, item++) \
			nearest_offer(&nearest_, (NAME));        \
		nearest_.best;                                   \
	})
