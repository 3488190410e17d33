/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of help in two columns.
 */
#pragma once
#include <stdbool.h>

/* Print a form, and behind it what it means. `width` is that of the first column. On a terminal the
 * text is broken into lines of its width, each below the other; elsewhere it is one line, so that
 * grep finds it whole. */
void help_columns(const char *form, int width, const char *text);
/* Is the character of UTF-8 one of East Asia, which takes two columns, and after which a line may
 * end? */
bool help_is_wide(const char *c);
/* Print the text behind `before` columns, and break it into lines of at most `most` columns, each
 * as far to the right as the first; 0: into none. Ends with a newline. */
void help_wrap(const char *text, int before, int most);
