/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what a run has shown: see lesson_rows.h.
 */
#include "cli/learn/lesson_rows.h"
#include "parser/base/arena.h"
#include <stdlib.h>
#include <string.h>

/* The next field of the line; "" after the last one. */
static char *field(char **line)
{
	char *start = *line, *tab = strchr(start, '\t');

	*line = tab ? tab + 1 : start + strlen(start);
	if (tab)
		*tab = '\0';
	return start;
}

/* Remove the rows of a map, which is shown again. */
static void forget(struct shown *s, const char *map)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].map, map) != 0)
			s->rows[n++] = s->rows[i];
	s->n_rows = n;
}

static void add_row(struct arena *a, struct shown *s, const char *map, char *line)
{
	struct shown_row row = {.map = map};

	row.key = arena_strdup(a, field(&line));
	row.value = strtoll(field(&line), NULL, 10);
	row.entries = strtoull(field(&line), NULL, 10);
	arena_push(a, s->rows, s->n_rows, row);
}

static void add_bucket(struct arena *a, struct shown *s, char *line)
{
	struct shown_row *row = s->n_rows ? &s->rows[s->n_rows - 1] : NULL;
	struct shown_bucket b;

	b.low = strtoll(field(&line), NULL, 10);
	b.high = strtoll(field(&line), NULL, 10);
	b.count = strtoull(field(&line), NULL, 10);
	if (row)
		arena_push(a, row->buckets, row->n_buckets, b);
}

void shown_read(struct arena *a, FILE *f, struct shown *out)
{
	const char *map = "";
	char *text = NULL, *line;
	size_t size = 0;
	ssize_t n;

	*out = (struct shown){0};
	rewind(f);
	while ((n = getline(&text, &size, f)) > 0) {
		const char *what;

		line = text;
		line[strcspn(line, "\n")] = '\0';
		what = field(&line);
		if (strcmp(what, "map") == 0) {
			map = arena_strdup(a, line);
			forget(out, map);
		} else if (strcmp(what, "row") == 0) {
			add_row(a, out, map, line);
		} else if (strcmp(what, "bucket") == 0) {
			add_bucket(a, out, line);
		} else if (strcmp(what, "text") == 0) {
			arena_push(a, out->lines, out->n_lines, arena_strdup(a, line));
		}
	}
	free(text);
}
