/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of foreign words: see foreign_word.h.
 */
#include "parser/lang/foreign_word.h"
#include <stddef.h>
#include <string.h>

static const struct foreign_word foreign_words[] = {
#define FOREIGN_WORD(word, hint) {word, hint},
#include "parser/lang/foreign_word.def"
#undef FOREIGN_WORD
};

const char *foreign_hint(const char *word)
{
	for (size_t i = 0; i < sizeof(foreign_words) / sizeof(foreign_words[0]); i++)
		if (strcmp(foreign_words[i].word, word) == 0)
			return foreign_words[i].hint;
	return NULL;
}
