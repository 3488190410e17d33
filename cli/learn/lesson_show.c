/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints texts of lessons on the terminal.
 */
#include "cli/base/help_columns.h"
#include "cli/learn/lesson_file.h"
#include "parser/base/arena.h"
#include <string.h>

enum { WIDTH = 78 };

/* What is between a paragraph and its next line: nothing between characters of Chinese. */
static const char *joint(const char *paragraph, const char *next)
{
	size_t n = strlen(paragraph);

	return !n || (n >= 3 && help_is_wide(paragraph + n - 3) && help_is_wide(next)) ? "" : " ";
}

void lesson_print(const char *first, const char *text)
{
	struct arena *a = arena_new();
	const char *paragraph = first;

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n && *text != ' ' && *text != '\t') {
			paragraph = arena_printf(a, "%s%s%.*s", paragraph, joint(paragraph, text),
						 (int)n, text);
		} else {
			if (*paragraph)
				help_wrap(paragraph, 0, WIDTH);
			printf("%.*s\n", (int)n, text);
			paragraph = "";
		}
		text += n + (text[n] == '\n');
	}
	if (*paragraph)
		help_wrap(paragraph, 0, WIDTH);
	arena_free(a);
}
