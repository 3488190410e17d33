/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints texts of lessons on the terminal.
 */
#include "cli/learn/lesson_file.h"
#include <string.h>

enum { WIDTH = 78 };

/* The number of columns of UTF-8 text: bytes that begin a character. */
static size_t columns(const char *text, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += (text[i] & 0xc0) != 0x80;
	return columns;
}

/* Print the words of a line, `at` columns after the left margin. Returns the column after the last
 * word. */
static size_t print_words(const char *line, size_t n, size_t at)
{
	for (const char *end = line + n; line < end;) {
		size_t blanks = strspn(line, " \t"), len = strcspn(line + blanks, " \t\n");
		size_t width = columns(line + blanks, len);

		if (!len)
			break;
		if (at && at + 1 + width > WIDTH) {
			putchar('\n');
			at = 0;
		}
		printf("%s%.*s", at ? " " : "", (int)len, line + blanks);
		at += width + (at ? 1 : 0);
		line += blanks + len;
	}
	return at;
}

void lesson_print(const char *first, const char *text)
{
	size_t at = columns(first, strlen(first));

	fputs(first, stdout);
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n && *text != ' ' && *text != '\t') {
			at = print_words(text, n, at);
		} else {
			printf("%s%.*s\n", at ? "\n" : "", (int)n, text);
			at = 0;
		}
		text += n + (text[n] == '\n');
	}
	if (at)
		putchar('\n');
}
