/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of foreign words: see foreign_word.h.
 */
#include "parser/lang/foreign_word.h"
#include "parser/base/find.h"
#include "parser/base/text.h"
#include <ctype.h>
#include <strings.h>

static const struct foreign_word foreign_words[] = {
#define FOREIGN_WORD(word, hint) {word, hint},
#include "parser/lang/foreign_word.def"
};

const char *foreign_hint(const char *word)
{
	const struct foreign_word *row = TEXT_ROW(foreign_words, word, word, strlen(word));

	if (!row && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")]) /* WHERE, of SQL */
		row = FIND_ROW(foreign_words, islower((unsigned char)*item->word) &&
						      strcasecmp(item->word, word) == 0);
	return row ? row->hint : NULL;
}
