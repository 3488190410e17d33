/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out the lines of formatted scripts (fmt_line.h): tabs of 8 columns, lines of at most 100.
 * A longer line is broken where the fewest brackets are open, and continues with four more spaces.
 */
#include "parser/syntax/fmt_line.h"
#include "parser/base/arena.h"
#include <string.h>

enum { TAB = 8, COLUMNS = 100, CONTINUATION = 4 };

void fmt_add(struct fmt_lines *l, struct piece p)
{
	arena_push(l->arena, l->pieces, l->n, p);
}

void fmt_end(struct fmt_lines *l)
{
	if (l->is_open)
		fputc('\n', l->out);
	l->is_open = false;
}

void fmt_begin(struct fmt_lines *l)
{
	fmt_end(l);
	if (l->wants_blank && !l->begins_block)
		fputc('\n', l->out);
	l->wants_blank = l->begins_block = false;
	for (uint32_t i = 0; i < l->indent; i++)
		fputc('\t', l->out);
	l->is_open = true;
}

/* The piece that begins the next line, when one begins at `from` and has `room` columns. */
static uint32_t next_line(const struct fmt_lines *l, uint32_t from, uint32_t room)
{
	uint32_t best = l->n, used = 0, i;

	for (i = from; i < l->n; i++) {
		const struct piece *p = &l->pieces[i];

		if (i > from && p->must_break)
			return i;
		used += p->len + (i > from && p->has_space);
		if (i > from && p->may_break &&
		    (best == l->n || (used - p->len <= room && p->depth <= l->pieces[best].depth)))
			best = i;
		if (used > room && best != l->n)
			return best;
	}
	return l->n;
}

void fmt_flush(struct fmt_lines *l)
{
	uint32_t from = 0, room = COLUMNS - l->indent * TAB;

	if (!l->n)
		return;
	if (l->indent * TAB + 20 > COLUMNS)
		room = 20;
	fmt_begin(l);
	while (from < l->n) {
		uint32_t to = next_line(l, from, from ? room - CONTINUATION : room);

		if (from) {
			fmt_begin(l);
			fprintf(l->out, "%*s", CONTINUATION, "");
		}
		for (uint32_t i = from; i < to; i++) {
			if (i > from && l->pieces[i].has_space)
				fputc(' ', l->out);
			fwrite(l->pieces[i].text, 1, l->pieces[i].len, l->out);
		}
		from = to;
	}
	l->n = 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The length of `text` up to its newline, without white space before it. */
static uint32_t line_length(const char *text, uint32_t len)
{
	const char *end = memchr(text, '\n', len);
	uint32_t n = end ? (uint32_t)(end - text) : len;

	while (n && is_blank(text[n - 1]))
		n--;
	return n;
}

void fmt_comment(struct fmt_lines *l, const char *text, uint32_t len)
{
	const char *at = text, *end = text + len, *newline;

	fwrite(at, 1, line_length(at, len), l->out);
	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		const char *first = newline + 1 + strspn(newline + 1, " \t");

		at = newline + 1;
		fputc('\n', l->out);
		if (first < end && *first == '*') {
			for (uint32_t i = 0; i < l->indent; i++)
				fputc('\t', l->out);
			fputc(' ', l->out);
			at = first;
		}
		fwrite(at, 1, line_length(at, (uint32_t)(end - at)), l->out);
	}
}
