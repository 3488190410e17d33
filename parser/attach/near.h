/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did you mean: the attach points nearest to one that matches nothing, compared part by part.
 */
#pragma once
#include "parser/base/nearest.h"
#include <stdint.h>

struct diags;

enum { NEAR_PARTS = 4, NEAR_SHOWN = 3 };

struct near_names {
	struct arena *arena;
	const char *requested[NEAR_PARTS]; /* patterns */
	const char *letters[NEAR_PARTS];
	uint32_t n_requested;
	const char *best[NEAR_SHOWN];
	uint32_t n;
	unsigned edits; /* distance of each name in `best` */
	bool is_full;	/* there are more names at this distance */
	bool has_names; /* at least one name was offered */
};

/* Look for names similar to `requested`, patterns separated by ':'. */
void near_init(struct near_names *near, struct arena *a, const char *requested);
/* Compare `requested` with the parts of `name`, starting at any. Keeps `before` and the name;
 * parts that match are kept as written, and what follows becomes "*". */
void near_offer(struct near_names *near, const char *before, const char *name);
/* For a pattern such as `*swtich*`: finds the words of names that are nearest to its letters. */
struct near_words {
	struct arena *arena;
	const char *before, *after; /* the pattern around its letters */
	struct nearest nearest;
	uint32_t n_words; /* number of words in the letters, joined by '_' */
};

/* False: the pattern is not one word between '*'s. */
bool near_words_init(struct near_words *w, struct arena *a, const char *pattern);
void near_words_offer(struct near_words *w, const char *name);
/* The pattern with the nearest words in it; NULL if none is similar. */
const char *near_words_pattern(const struct near_words *w);

/* Print the hint "did you mean A, B or C?". Returns -1, or 0 if no name is similar. */
int near_hint(struct diags *d, const struct near_names *near);
