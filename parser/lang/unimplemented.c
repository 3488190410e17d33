/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The UNIMPLEMENTED rows of builtins.def, and their lookup, which is only used for unknown words.
 */
#include "parser/lang/unimplemented.h"
#include <stddef.h>
#include <string.h>

static const struct unimplemented_word words[] = {
#define VAR(...)
#define FN(...)
#define AGG(...)
#define ARG(...)
#define UNIMPLEMENTED(kind, word, hint) \
	{UNIMPLEMENTED_##kind, #word, sizeof(hint) > 1 ? hint : NULL},
#include "parser/lang/builtins.def"
#undef UNIMPLEMENTED
#undef ARG
#undef AGG
#undef FN
#undef VAR
};

const struct unimplemented_word *unimplemented_find(const char *word, enum unimplemented_kind kind)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].kind == kind && strcmp(words[i].word, word) == 0)
			return &words[i];
	return NULL;
}
