/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of foreign words: see foreign_word.h.
 */
#include "parser/lang/foreign_word.h"
#include "parser/base/text.h"

static const struct foreign_word foreign_words[] = {
#define FOREIGN_WORD(word, hint) {word, hint},
#include "parser/lang/foreign_word.def"
};

const char *foreign_hint(const char *word)
{
	const struct foreign_word *row = TEXT_ROW(foreign_words, word, word, strlen(word));

	return row ? row->hint : NULL;
}
