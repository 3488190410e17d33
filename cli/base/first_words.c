/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See first_words.h.
 */
#include "cli/base/first_words.h"
#include "parser/base/text.h"
#include "parser/base/nearest.h"

const struct first_word first_words[] = {
#define FIRST_WORD(...) {__VA_ARGS__},
#include "cli/base/first_words.def"
};
const int n_first_words = sizeof(first_words) / sizeof(*first_words);

const struct first_word *first_word_find(const char *word)
{
	return TEXT_ROW(first_words, word, word, strlen(word));
}

const struct first_word *first_word_of(enum option_words bit)
{
	return FIND_ROW(first_words, item->bit == bit);
}

void first_words_offer(struct nearest *near)
{
	for (int i = 0; i < n_first_words; i++)
		nearest_offer(near, first_words[i].word);
}

const char *first_word_of_mode(enum mode mode)
{
	const struct first_word *w = FIND_ROW(first_words, item->mode == mode);

	return w ? w->word : NULL;
}
