/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of command lines, as a shell takes them.
 */
#pragma once
#include <stdio.h>

struct arena;

/* Write the word, in apostrophes unless it needs none. */
void shell_word_put(FILE *f, const char *word);
/* The same as text. */
const char *shell_word(struct arena *a, const char *word);
