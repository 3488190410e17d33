/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a script: as text, for --emit tokens, and one by one.
 */
#pragma once
#include "parser/base/source.h"

/* Call fn for each token, in order; `kind` says what it is: "number". Errors are
 * left to the parser. */
void token_each(const struct source *s, void (*fn)(void *ctx, struct span span, const char *kind),
		void *ctx);

/* Print a token a line: LINE:COLUMN, what it is, its text. Errors are left to the parser. */
void token_dump(const struct source *s, FILE *out);
