/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See script_lines.h.
 */
#define _GNU_SOURCE
#include "cli/base/script_lines.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "parser/base/text.h"
#include <stdarg.h>
#include <stdlib.h>

static void push(struct script_lines *t, uint32_t line, const char *text)
{
	if (vec_push(&t->lines, (struct script_line){.text = text, .line = line}))
		arena_out_of_memory();
}

void script_lines_add(struct script_lines *t, uint32_t line, const char *format, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		arena_out_of_memory();
	push(t, line, arena_strdup(t->arena, text));
	free(text);
}

void script_lines_add_text(struct script_lines *t, const char *text, size_t len)
{
	const char *end = text + len;
	struct text_line l;

	while (text_next_line(&text, end, &l))
		push(t, 0, arena_strndup(t->arena, l.at, l.len));
}

static void write_script_line(const struct source *s, uint32_t line, FILE *f)
{
	uint32_t len;
	const char *text = source_line(s, line, &len);

	while (len && (*text == ' ' || *text == '\t'))
		text++, len--;
	fprintf(f, "%4u | %.*s\n", line, (int)len, text);
}

void script_lines_write(const struct script_lines *t, const struct source *s, bool is_beside,
			FILE *f)
{
	uint32_t line = 0;

	for (size_t i = 0; i < t->lines.n; i++) {
		const struct script_line *l = &t->lines.items[i];

		if (is_beside && l->line && l->line != line && l->line <= s->n_lines)
			write_script_line(s, l->line, f);
		line = l->line ? l->line : line;
		fprintf(f, "%s%s\n", is_beside && l->line ? "     | " : "", l->text);
	}
}
