/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did you mean: the nearest of many names to a word that is none of them.
 */
#pragma once
#include <stdbool.h>

struct arena;

/* Remembers the candidate nearest to `word` (edit distance, at most a third of its
 * length and 3; a shared prefix wins ties). */
struct nearest {
	const char *word;
	const char *best;
	unsigned best_distance;
};
void nearest_init(struct nearest *n, const char *word);
/* True: it is the nearest now, and kept by its pointer. */
bool nearest_offer(struct nearest *n, const char *candidate);
/* The same for a candidate that is gone afterwards: what is kept is a copy. */
bool nearest_keep(struct nearest *n, struct arena *a, const char *candidate);
/* Edits that make `b` of `a`; UINT_MAX when either is too long to be compared. */
unsigned nearest_edits(const char *a, const char *b);
