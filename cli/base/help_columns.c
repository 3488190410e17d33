/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of help in two columns: see help_columns.h.
 */
#include "cli/base/help_columns.h"
#include "cli/base/printing.h"
#include "parser/base/text.h"
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
	int fd = printing_target(), all = isatty(fd) ? terminal_columns(fd, 0) : 0;
	int n = all - before - 1;

	return !all ? 0 : n < LEAST ? LEAST : n > MOST ? MOST : n;
}

/* U+3000 to U+9FFF, and the wide forms at U+FF00. */
bool help_is_wide(const char *c)
{
	unsigned char lead = (unsigned char)c[0], next = lead ? (unsigned char)c[1] : 0;

	return (lead >= 0xe3 && lead <= 0xe9) || (lead == 0xef && next >= 0xbc);
}

/* A mark that no line begins with. */
static bool closes(const char *c)
{
	static const char *const marks[] = {"。", "，", "、", "；", "：",
					    "？", "！", "）", "》", "”"};

	return TEXT_PREFIX(marks, c);
}

/* Columns that the first `n` bytes take. */
static int columns_of(const char *text, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((text[i] & 0xc0) != 0x80) + help_is_wide(text + i);
	return columns;
}

/* What no line end divides: a wide character, or all up to a blank or such a character; and marks
 * behind it. */
static const char *end_of_word(const char *word)
{
	const char *end = word;

	if (help_is_wide(end))
		end += 3;
	else
		while (*end && *end != ' ' && !help_is_wide(end))
			end++;
	while (closes(end))
		end += 3;
	return end;
}

void help_wrap(const char *text, int before, int most)
{
	int column = 0;

	for (const char *word = text, *end; *word; word = end) {
		size_t blanks = strspn(word, " ");
		int n, gap = column && blanks ? 1 : 0;

		word += blanks;
		end = end_of_word(word);
		n = columns_of(word, (size_t)(end - word));
		if (most && column && column + gap + n > most)
			column = gap = 0, printf("\n%*s", before, "");
		column += n + printf("%s", gap ? " " : "");
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
