/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean": finds the name nearest to an unknown word.
 */
#pragma once
#include <stdbool.h>

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
/* True if it is the nearest so far. */
bool nearest_offer(struct nearest *n, const char *candidate);
/* The same, as a callback: `near` is a struct nearest. */
void nearest_offer_name(const char *candidate, void *near);
