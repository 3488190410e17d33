/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints texts of lessons on the terminal.
 */
#include "cli/base/help_columns.h"
#include "cli/learn/lesson_file.h"
#include "parser/base/arena.h"
#include <string.h>

enum { WIDTH = 78 };

void lesson_print(const char *first, const char *text)
{
	struct arena *a = arena_new();
	const char *paragraph = first;

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n && *text != ' ' && *text != '\t') {
			paragraph = arena_printf(a, "%s %.*s", paragraph, (int)n, text);
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
