/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that have a meaning of their own as the first one: the rows of first_words.def.
 */
#pragma once
#include "cli/options/options.h"

struct nearest;

struct first_word {
	const char *word;
	enum mode mode;
	enum { FOLLOWED_BY_RUN, FOLLOWED_BY_SCRIPT, FOLLOWED_BY_NAMES, FOLLOWED_BY_OWN } what;
	const char *usage; /* without `sonde` */
	const char *doc;
	const char *options; /* names of options.def, separated by blanks, or NULL */
	const char *example; /* without `sonde` */
};
extern const struct first_word first_words[];
extern const int n_first_words;

/* The row of a word, or NULL. */
const struct first_word *first_word_find(const char *word);
/* Offer all words. */
void first_words_offer(struct nearest *near);
