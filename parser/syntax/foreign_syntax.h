/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints for forms of other languages.
 */
#pragma once
#include <stdbool.h>

struct filter;

/* Report the syntax error at the filter's current token when it is a form of another language.
 * False when it is not. */
bool report_foreign_syntax(struct filter *f, bool wants_semicolon);
/* What follows the current token on its line is of the same mistake. */
void filter_silence_rest(struct filter *f);
/* The same for the rows of foreign_form.def. */
bool report_foreign_form(struct filter *f);
/* True if a preprocessor line is a comment of other languages, "# word". */
bool foreign_is_comment(const char *line);
/* `7 // 2`: a hint that what closes the opener may be in a comment. */
void foreign_hint_comment(const struct filter *f, const struct token *opener);
