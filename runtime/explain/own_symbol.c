/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See own_symbol.h.
 */
#include "runtime/explain/own_symbol.h"
#include "parser/base/find.h"
#include <string.h>

static const struct {
	const char *word, *purpose;
} rows[] = {
#define OWN(word, purpose) {word, purpose},
#include "runtime/explain/own_symbols.def"
};

const char *own_symbol_purpose(const char *name)
{
	__auto_type row = FIND_ROW(rows, strncmp(name, item->word, strlen(item->word)) == 0);

	return row ? row->purpose : NULL;
}
