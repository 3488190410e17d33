/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See read_text.h.
 */
#include "parser/base/read_text.h"
#include <errno.h>
#include <stdlib.h>

enum { FIRST_BYTES = 1024 };

/* Room for a byte and a NUL. NULL with errno. */
static char *grow(char *text, size_t n, size_t most, size_t *size)
{
	char *larger = NULL;

	if (n + 2 <= *size)
		return text;
	if (n > most) {
		errno = EFBIG;
	} else {
		*size = *size ? 2 * *size : FIRST_BYTES;
		larger = realloc(text, *size);
	}
	if (!larger)
		free(text);
	return larger;
}

char *read_text(FILE *f, int until, size_t most, size_t *len)
{
	size_t size = 0, n = 0;
	char *text = NULL;
	int c;

	errno = 0;
	while ((c = getc_unlocked(f)) != EOF) {
		text = grow(text, n, most, &size);
		if (!text)
			return NULL;
		text[n++] = (char)c;
		if (c == until)
			break;
	}
	if (c == EOF && (!n || ferror(f))) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = n;
	return text;
}
