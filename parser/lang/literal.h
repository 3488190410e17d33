/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number and string literals: from the lexer's bytes to a value. Errors are reported at the bytes
 * concerned; the value is then a best guess, so that parsing continues.
 */
#pragma once
#include "parser/base/source.h"

struct arena;
struct diags;

/* Value of the number at `text`, which spans `span`. `d` NULL: report nothing. */
uint64_t literal_number(struct diags *d, const char *text, struct span span);
/* Text of the string literal at `text` (quotes included), escapes resolved; length to *len. */
const char *literal_string(struct arena *a, struct diags *d, const char *text, struct span span,
			   uint32_t *len);
