/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See script_lines.h.
 */
#include "cli/base/script_lines.h"
#include "parser/base/arena.h"
#include "parser/base/escape.h"
#include "parser/base/source.h"
#include "parser/base/text.h"

static void push(struct script_lines *t, struct script_line line)
{
	if (vec_push(&t->lines, line))
		arena_out_of_memory();
}

uint32_t script_part_at(const struct script_parts *parts, uint32_t line, uint32_t column)
{
	for (uint32_t i = 1; parts && line && i < parts->items.n; i++)
		if (parts->items.items[i].line == line && parts->items.items[i].column == column)
			return i;
	return 0;
}

void script_lines_add_at(struct script_lines *t, uint32_t line, uint32_t column, const char *text)
{
	push(t, (struct script_line){
			.text = arena_strdup(t->arena, text),
			.line = line,
			.part = script_part_at(t->parts, line, column),
		});
}

void script_lines_add(struct script_lines *t, uint32_t line, const char *format, ...)
{
	char *text = NULL, *escaped;
	size_t len;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	escaped = n < 0 ? NULL : escape_copy(ESCAPE_MESSAGE, text, (size_t)n, &len);
	if (!escaped)
		arena_out_of_memory();
	push(t, (struct script_line){.text = arena_strdup(t->arena, escaped), .line = line});
	free(escaped);
	free(text);
}

void script_lines_add_text(struct script_lines *t, const char *text, size_t len)
{
	const char *end = text + len;
	struct text_line l;

	while (text_next_line(&text, end, &l))
		push(t, (struct script_line){.text = arena_strndup(t->arena, l.at, l.len)});
}

static void write_script_line(const struct source *s, uint32_t line, FILE *f)
{
	uint32_t len;
	const char *text = source_line(s, line, &len);

	while (len && (*text == ' ' || *text == '\t'))
		text++, len--;
	fprintf(f, "%4u | ", line);
	escape_write_bytes(ESCAPE_LINES, text, len, f);
	fputc('\n', f);
}

void script_lines_write(const struct script_lines *t, const struct source *s, bool is_beside,
			FILE *f)
{
	uint32_t line = 0, part = 0;

	for (size_t i = 0; i < t->lines.n; i++) {
		const struct script_line *l = &t->lines.items[i];

		if (is_beside && l->line && l->line != line && l->line <= s->n_lines) {
			write_script_line(s, l->line, f);
			part = 0;
		}
		if (is_beside && l->part && l->part != part) {
			fputs("     |   -- ", f);
			escape_write(ESCAPE_LINES, t->parts->items.items[l->part].text, f);
			fputc('\n', f);
			part = l->part;
		}
		line = l->line ? l->line : line;
		fputs(is_beside && l->line ? "     | " : "", f);
		escape_write(ESCAPE_LINES, l->text, f);
		fputc('\n', f);
	}
}
