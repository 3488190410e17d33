/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a script as text, for --emit tokens.
 */
#pragma once
#include <stdio.h>

struct source;

/* Print a token a line: LINE:COLUMN, what it is, its text. Errors are left to the parser. */
void token_dump(const struct source *s, FILE *out);
