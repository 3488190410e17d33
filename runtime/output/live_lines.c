/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last lines: see live_screen.h.
 */
#include "runtime/output/live_screen.h"

void live_lines_add(struct live_lines *l, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *line;

		if (text[i] == '\n') {
			if (l->n == l->n_ended) /* an empty line */
				l->lines[l->n++ % LIVE_LINES][0] = '\0';
			l->n_ended = l->n;
			l->length = 0;
			continue;
		}
		if (l->n == l->n_ended)
			l->n++;
		line = l->lines[(l->n - 1) % LIVE_LINES];
		if (l->length < LIVE_LINE_BYTES - 1)
			line[l->length++] = text[i];
		line[l->length] = '\0';
	}
}

const char *live_lines_get(const struct live_lines *l, uint32_t back)
{
	if (back >= l->n || back >= LIVE_LINES)
		return NULL;
	return l->lines[(l->n - 1 - back) % LIVE_LINES];
}
