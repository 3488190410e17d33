/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See own_symbol.h.
 */
#include "runtime/explain/own_symbol.h"
#include <stddef.h>
#include <string.h>

static const struct {
	const char *word, *purpose;
} rows[] = {
#define OWN(word, purpose) {word, purpose},
#include "runtime/explain/own_symbols.def"
};

const char *own_symbol_purpose(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strncmp(name, rows[i].word, strlen(rows[i].word)) == 0)
			return rows[i].purpose;
	return NULL;
}
