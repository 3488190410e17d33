/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See shell_word.h.
 */
#include "runtime/base/shell_word.h"
#include "parser/base/arena.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *word)
{
	static const char others[] = "@%+=:,./-_";

	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(others, *c))
			return false;
	return *word != '\0';
}

void shell_word_put(FILE *f, const char *word)
{
	if (is_plain(word)) {
		fputs(word, f);
		return;
	}
	putc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			putc(*word, f);
	putc('\'', f);
}

const char *shell_word(struct arena *a, const char *word)
{
	char *text = NULL;
	const char *copy = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f)
		shell_word_put(f, word);
	if (f && !fclose(f))
		copy = arena_strndup(a, text, len);
	free(text);
	return copy ?: word; /* there is no memory */
}
