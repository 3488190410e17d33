/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number and string literals: from the bytes the lexer matched to their value. What is wrong with
 * one is reported here, at the bytes that are wrong, and the value is then the best guess, so that
 * parsing goes on.
 */
#pragma once
#include "parser/base/source.h"

struct arena;
struct diags;

/* Value of the number at `text`, which spans `span`. `d` NULL: say nothing. */
uint64_t literal_number(struct diags *d, const char *text, struct span span);
/* Text of the string literal at `text` (quotes included), escapes resolved; length to *len. */
const char *literal_string(struct arena *a, struct diags *d, const char *text, struct span span,
			   uint32_t *len);
