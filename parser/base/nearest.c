/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edit distances for "did you mean".
 */
#include "parser/base/nearest.h"
#include "parser/base/arena.h"
#include <string.h>

enum { WORD_MOST = 64 }; /* bytes: longer words get no suggestion */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edits (insert, remove, change, swap of neighbours) from `a` to `b`. */
static unsigned distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned rows[3][WORD_MOST + 1];

	for (unsigned j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= n_a; i++) {
		unsigned *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= n_b; j++) {
			row[j] = least(up[j] + 1, row[j - 1] + 1);
			row[j] = least(row[j], up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], up2[j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

static size_t shared_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

void nearest_init(struct nearest *n, const char *word)
{
	size_t len = strlen(word);
	unsigned most = len <= WORD_MOST ? least((unsigned)len / 3, 3) : 0;

	if (len == 2) /* nearest_offer() is stricter with so short a word */
		most = 1;
	*n = (struct nearest){.word = word, .best_distance = most};
}

bool nearest_offer(struct nearest *n, const char *candidate)
{
	size_t n_word = strlen(n->word), n_candidate = candidate ? strlen(candidate) : 0;
	unsigned edits;

	if (!candidate || !n->best_distance || n_word > WORD_MOST || n_candidate > WORD_MOST)
		return false;
	if (n_word == 2 && strncmp(candidate, n->word, n_word) != 0)
		return false;
	edits = distance(n->word, n_word, candidate, n_candidate);
	if (edits > n->best_distance)
		return false;
	if (n->best && edits == n->best_distance &&
	    shared_prefix(n->word, candidate) <= shared_prefix(n->word, n->best))
		return false;
	n->best = n->arena ? arena_strdup(n->arena, candidate) : candidate;
	n->best_distance = edits;
	return true;
}

void nearest_offer_name(const char *candidate, void *near)
{
	nearest_offer(near, candidate);
}
