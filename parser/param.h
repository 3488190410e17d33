/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positional parameters: the words of the command line that a script reads as $1, $2, … and $#.
 */
#pragma once
#include "ast.h"

struct sema;

/* Make a literal of an EX_PARAM: an integer when the word reads as one, else a string; always a
 * string when `as_text`. */
void param_resolve(struct sema *s, struct expr *e, bool as_text);
/* The text of an attach point with $N replaced, outside of quotes. NULL after an error. */
const char *param_substitute(struct sema *s, const struct attach_text *text);
