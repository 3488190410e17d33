/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of help in two columns: see help_columns.h.
 */
#include "cli/base/help_columns.h"
#include "runtime/base/terminal.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	LEAST = 30, /* columns of text on a narrow terminal */
	MOST = 100, /* on a wide one, where longer lines are hard to read */
	INDENT = 2,
};

/* Columns for the text; 0: it is not broken into lines. */
static int text_columns(int before)
{
	int all = isatty(STDOUT_FILENO) ? terminal_columns(STDOUT_FILENO, 0) : 0;
	int n = all - before - 1;

	return !all ? 0 : n < LEAST ? LEAST : n > MOST ? MOST : n;
}

/* Columns that the first `n` bytes take: of a UTF-8 character only its first byte takes one. */
static int columns_of(const char *text, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += (text[i] & 0xc0) != 0x80;
	return columns;
}

void help_wrap(const char *text, int before, int most)
{
	int column = 0;

	for (const char *word = text, *end; *word; word = end) {
		int n;

		word += strspn(word, " ");
		end = word + strcspn(word, " ");
		n = columns_of(word, (size_t)(end - word));
		if (most && column && column + 1 + n > most)
			column = 0, printf("\n%*s", before, "");
		column += n + printf("%s", column ? " " : "");
		fwrite(word, 1, (size_t)(end - word), stdout);
	}
	putchar('\n');
}

void help_columns(const char *form, int width, const char *text)
{
	int before = INDENT + width + 1, most = text_columns(before);
	int own = columns_of(form, strlen(form));

	printf("%*s%s", INDENT, "", form);
	if (most && own > width)
		printf("\n%*s", before, "");
	else
		printf("%*s", own < width ? width - own + 1 : 1, "");
	help_wrap(text, before, most);
}
