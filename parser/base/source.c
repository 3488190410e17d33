/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a script from a file, standard input or -e into the arena, up to LIMIT_SCRIPT_BYTES, and
 * records the offset of each line, so that a span can be shown as line and column. A text that ends
 * with a newline has an empty line after it, where messages about its end point.
 */
#include "parser/base/source.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/base/read_text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void index_lines(struct arena *a, struct source *s)
{
	arena_push(a, s->lines, s->n_lines, 0);
	for (uint32_t i = 0; i < s->len; i++)
		if (s->text[i] == '\n')
			arena_push(a, s->lines, s->n_lines, i + 1);
}

struct source *source_from_text(struct arena *a, const char *name, const char *text, size_t len)
{
	struct source *s;
	char *copy;

	if (len >= 3 &&
	    memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark, of some editors */
		text += 3;
		len -= 3;
	}
	if (len > LIMIT_SCRIPT_BYTES) {
		errno = EFBIG;
		return NULL;
	}
	copy = arena_alloc(a, len + 2); /* two NULs at the end */
	memcpy(copy, text, len);
	s = arena_new_of(a, struct source);
	s->name = arena_strdup(a, name);
	s->text = copy;
	s->len = (uint32_t)len;
	s->parts = arena_new_of(a, struct source_parts);
	s->parts->end = s->len + 1; /* the end of the script has an offset too */
	index_lines(a, s);
	return s;
}

static struct source *read_stream(struct arena *a, const char *name, FILE *f)
{
	size_t len = 0;
	char *text = read_text(f, EOF, LIMIT_SCRIPT_BYTES, &len);
	/* without an error: it is empty */
	struct source *s = text || !errno ? source_from_text(a, name, text ?: "", len) : NULL;
	int saved = errno;

	free(text);
	errno = saved;
	return s;
}

struct source *source_from_file(struct arena *a, const char *path)
{
	struct source *s;
	int saved;
	FILE *f;

	if (strcmp(path, "-") == 0)
		return read_stream(a, "stdin", stdin);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	s = read_stream(a, path, f);
	if (s)
		s->is_file = true;
	saved = errno;
	fclose(f);
	errno = saved;
	return s;
}

/* ---- parts ------------------------------------------------------------------------------- */

static const struct source_part *find_part(const struct source *script, uint32_t offset)
{
	const struct source_parts *parts = script->parts;
	uint32_t low = 0, high = parts->n;

	if (offset <= script->len || !high || offset < parts->items[0].start)
		return NULL;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (parts->items[mid].start <= offset)
			low = mid;
		else
			high = mid;
	}
	return &parts->items[low];
}

static uint32_t add_part(struct arena *a, const struct source *script, struct source_part part)
{
	struct source_parts *parts = script->parts;

	part.start = parts->end;
	if (part.len >= UINT32_MAX - parts->end)
		return 0;
	parts->end += part.len + 1;
	arena_push(a, parts->items, parts->n, part);
	return part.start;
}

bool source_add_file(struct arena *a, const struct source *script, struct source *file)
{
	file->base = add_part(a, script, (struct source_part){.len = file->len, .file = file});
	return file->base != 0;
}

bool source_add_expansion(struct arena *a, const struct source *script, struct source *text,
			  struct span call)
{
	text->base = add_part(a, script,
			      (struct source_part){.len = text->len, .file = text, .call = call});
	return text->base != 0;
}

uint32_t source_add_copy(struct arena *a, const struct source *script, struct span span,
			 struct span call)
{
	const struct source_part *in = find_part(script, span.start);

	return add_part(a, script,
			(struct source_part){
				.len = span.end - span.start,
				.file = in ? in->file : script,
				.at = in ? in->at + span.start - in->start : span.start,
				.call = call,
			});
}

bool source_call_of(const struct source *script, struct span span, struct span *call)
{
	const struct source_part *in = find_part(script, span.start);

	if (!in || !in->call.end)
		return false;
	*call = in->call;
	return true;
}

bool source_is_same(const struct source *script, uint32_t x, uint32_t y)
{
	struct place a = source_place(script, x), b = source_place(script, y);

	return a.in == b.in && a.line == b.line && a.col == b.col;
}

struct span source_root(const struct source *script, struct span span)
{
	while (source_call_of(script, span, &span))
		;
	return span;
}

struct span source_shown(const struct source *script, struct span span)
{
	const struct source_part *in = find_part(script, span.start);

	while (in && in->file->is_hidden && in->call.end) {
		span = in->call;
		in = find_part(script, span.start);
	}
	return span;
}

/* ---- places ------------------------------------------------------------------------------ */

struct place source_place(const struct source *s, uint32_t offset)
{
	const struct source_part *part = s->base ? NULL : find_part(s, offset);
	uint32_t low = 0, high;

	if (part) {
		offset = part->at + offset - part->start;
		s = part->file;
	} else {
		offset -= s->base;
	}
	high = s->n_lines;
	if (offset > s->len)
		offset = s->len;
	while (high - low > 1) { /* lines[low] <= offset < lines[high] */
		uint32_t mid = low + (high - low) / 2;

		if (s->lines[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	return (struct place){s, s->name, low + 1, offset - s->lines[low] + 1};
}

const char *source_line(const struct source *s, uint32_t line, uint32_t *len)
{
	uint32_t start, end;

	if (line < 1 || line > s->n_lines) {
		*len = 0;
		return "";
	}
	start = s->lines[line - 1];
	end = line < s->n_lines ? s->lines[line] - 1 : s->len;
	*len = end - start;
	return s->text + start;
}

struct span span_join(struct span a, struct span b)
{
	return (struct span){
		a.start < b.start ? a.start : b.start,
		a.end > b.end ? a.end : b.end,
	};
}

bool source_lost_quotes(const struct source *s)
{
	return !s->is_file && strcmp(s->name, "stdin") == 0 && !memchr(s->text, '"', s->len);
}
