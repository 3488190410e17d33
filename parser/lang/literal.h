/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number and string literals: from the lexer's bytes to a value. Errors are reported at the bytes
 * concerned; the value is then a best guess, so that parsing continues.
 */
#pragma once
#include "parser/base/source.h"

struct diags;

/* Value of the number at `text`, which spans `span`. `d` NULL: report nothing. */
uint64_t literal_number(struct diags *d, const char *text, struct span span);
/* The number that a word of the command line is, spelled as in scripts and without a sign. False
 * when it is none. */
bool literal_word_number(struct arena *a, const char *word, uint64_t *value);
/* The truth value that a word is: true on yes 1, false off no 0, in any case. False when it is
 * none. */
bool literal_word_bool(const char *word, bool *value);
/* Text of the string literal at `text` (quotes included), escapes resolved; length to *len. */
const char *literal_string(struct arena *a, struct diags *d, const char *text, struct span span,
			   uint32_t *len);
