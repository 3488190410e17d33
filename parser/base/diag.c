/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of diagnostics and its printer. Passes of the front end add to the queue; the command
 * line prints it once, sorted by location, at most LIMIT_ERRORS. A span gets one error: later ones
 * for the same bytes are consequences of the first, or of a warning. Tabs of a source line are kept
 * and copied into the underline, so that both line up whatever the tab width; other control
 * characters of a script never reach the terminal.
 */
#include "parser/base/diag.h"
#include "parser/base/find.h"
#include "parser/base/arena.h"
#include "parser/base/escape.h"
#include "parser/base/limits.h"
#include <stdlib.h>
#include <string.h>

enum {
	STORED_MOST = 1000, /* further ones are only counted: the search for duplicates is linear */
	SHOWN_MOST = 160,   /* bytes of a source line */
	SHOWN_BEFORE = 60,  /* of these before the span, if the line is longer */
	CALLS_MOST = 6,	    /* "expanded from here" */
	LINES_MOST = 8,	    /* lines of a span over several */
};

/* Are both spans of the same text? That of a macro has one for each call. */
static bool is_same_text(const struct diags *d, struct span a, struct span b, bool is_same_message)
{
	struct span call;

	if (a.start == b.start && a.end == b.end)
		return true;
	if (!is_same_message || !d->source || a.end - a.start != b.end - b.start ||
	    !source_call_of(d->source, a, &call) || !source_call_of(d->source, b, &call))
		return false;
	return source_is_same(d->source, a.start, b.start);
}

/* Two warnings may be about different things. */
static bool is_repetition(const struct diags *d, const struct diag *new)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct diag *old = &d->items[i];

		if (is_same_text(d, old->span, new->span, strcmp(old->msg, new->msg) == 0) &&
		    (old->level != DIAG_WARNING || new->level != DIAG_WARNING ||
		     strcmp(old->msg, new->msg) == 0))
			return true;
	}
	return false;
}

static void drop_advice(struct diags *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		if (!d->items[i].is_advice)
			d->items[n++] = d->items[i];
	d->n = n;
}

__attribute__((format(printf, 5, 0))) static void add(struct diags *d, enum diag_level level,
						      struct span span, const char *tag,
						      const char *fmt, va_list ap)
{
	struct diag new = {.level = level,
			   .is_advice = d->is_advice,
			   .tag = tag,
			   .span = d->source ? source_shown(d->source, span) : span};

	if (level == DIAG_ERROR && !d->n_errors)
		drop_advice(d);
	new.msg = arena_vprintf(d->arena, fmt, ap);
	d->is_last_dropped = is_repetition(d, &new);
	if (d->is_last_dropped)
		return;
	if (level == DIAG_ERROR)
		d->n_errors++;
	d->is_last_dropped = d->n >= STORED_MOST;
	if (d->is_last_dropped)
		return;
	arena_push(d->arena, d->items, d->n, new);
}

bool diags_are_full(const struct diags *d)
{
	return d->n >= STORED_MOST;
}

int diag_error(struct diags *d, struct span span, const char *tag, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return -1;
	va_start(ap, fmt);
	add(d, DIAG_ERROR, span, tag, fmt, ap);
	va_end(ap);
	return -1;
}

void diag_warning(struct diags *d, struct span span, const char *tag, const char *fmt, ...)
{
	va_list ap;

	if (d->no_warnings) {
		d->is_last_dropped = true;
		return;
	}
	va_start(ap, fmt);
	add(d, DIAG_WARNING, span, tag, fmt, ap);
	va_end(ap);
}

/* What a note or hint belongs to; NULL: it was dropped. */
static struct diag *last_of(const struct diags *d)
{
	return d && d->n && !d->is_last_dropped ? &d->items[d->n - 1] : NULL;
}

int diag_note(struct diags *d, struct span span, const char *fmt, ...)
{
	struct diag *last = last_of(d);
	va_list ap;

	if (!last)
		return -1;
	va_start(ap, fmt);
	last->note = arena_vprintf(d->arena, fmt, ap);
	last->note_span = d->source ? source_shown(d->source, span) : span;
	va_end(ap);
	return -1;
}

int diag_hint(struct diags *d, const char *fmt, ...)
{
	struct diag *last = last_of(d);
	va_list ap;

	if (!last)
		return -1;
	va_start(ap, fmt);
	last->hint = arena_vprintf(d->arena, fmt, ap);
	va_end(ap);
	return -1;
}

const char *diag_shown_hint(const struct diag *d)
{
	static const struct {
		const char *tag, *hint;
	} rows[] = {
#define HINT(tag, hint) {tag, hint},
#include "parser/base/tag_hints.def"
	};

	if (d->hint)
		return *d->hint ? d->hint : NULL;
	for (size_t i = 0; d->level == DIAG_ERROR && i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].tag, d->tag) == 0)
			return rows[i].hint;
	return NULL;
}

void diag_instead(struct diags *d, const char *event)
{
	struct diag *last = last_of(d);

	if (last)
		last->instead = event;
}

/* ---- printing ---- */

struct paint {
	const char *strong, *error, *warning, *note, *hint, *off;
};

static const struct paint plain = {"", "", "", "", "", ""};
static const struct paint coloured = {
	"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m",
};

static bool is_utf8_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* `file:line:first-end: ` or, over several lines, `file:l1-l2: `. */
static void print_place(const struct source *s, struct span span, FILE *out)
{
	uint32_t last = span.end > span.start ? span.end - 1 : span.start;
	struct place from = source_place(s, span.start), to = source_place(s, last);

	if (to.in != from.in || to.line < from.line) /* the end is in another text */
		to = from;
	escape_write(ESCAPE_MESSAGE, from.file, out);
	if (from.line == to.line)
		fprintf(out, ":%u:%u-%u: ", from.line, from.col, to.col + 1);
	else
		fprintf(out, ":%u-%u: ", from.line, to.line);
}

static void print_name(const struct source *s, FILE *out)
{
	escape_write(ESCAPE_MESSAGE, s->name, out);
	fputs(": ", out);
}

/* At most `most` bytes and the rest of their last character. */
static uint32_t shown_bytes(const char *line, uint32_t len, uint32_t most)
{
	uint32_t to = len < most ? len : most;

	while (to < len && is_utf8_tail(line[to]))
		to++;
	return to;
}

/* Bytes of a line. What a message escapes is a `?` here, since columns are underlined. */
static void put_text(const char *line, uint32_t from, uint32_t to, FILE *out)
{
	for (uint32_t i = from, n; i < to; i += n) {
		n = (uint32_t)utf8_length(line + i, to - i) ?: 1;
		if (escape_clean(ESCAPE_LINES, line + i, n) == n)
			fwrite(line + i, 1, n, out);
		else
			fputc('?', out);
	}
}

/* Underline the columns from `first` to `end` of a line that is shown from `from` on. */
static void print_underline(const char *line, uint32_t len, uint32_t from, uint32_t first,
			    uint32_t end, FILE *out)
{
	for (uint32_t i = from; i < first && i < len; i++)
		if (!is_utf8_tail(line[i]))
			fputc(line[i] == '\t' ? '\t' : ' ', out);
	for (uint32_t i = first; i < end; i++)
		if (i == first || i >= len || !is_utf8_tail(line[i]))
			fputc('~', out);
}

/* The lines of a span over several lines; of a long one the first. False: it is on one line. */
static bool print_lines(const struct source *s, struct span span, FILE *out)
{
	struct place from = source_place(s, span.start);
	struct place to = span.end > span.start ? source_place(s, span.end - 1) : from;
	uint32_t len;

	if (to.in != from.in || to.line <= from.line)
		return false;
	for (uint32_t n = from.line; n <= to.line && n < from.line + LINES_MOST; n++) {
		const char *line = source_line(from.in, n, &len);

		if (len && line[len - 1] == '\r')
			len--;
		fputs("  ", out);
		put_text(line, 0, shown_bytes(line, len, SHOWN_MOST), out);
		fputs(len > SHOWN_MOST ? "…\n" : "\n", out);
	}
	if (to.line >= from.line + LINES_MOST)
		fputs("  …\n", out);
	return true;
}

/* The span's line, with the span underlined. A long line is cut around the span. */
static void print_line(const struct source *s, struct span span, const char *ink,
		       const struct paint *paint, FILE *out)
{
	struct place place = source_place(s, span.start);
	uint32_t len, first = place.col - 1, end = first + (span.end - span.start), from = 0, to;
	const char *line = source_line(place.in, place.line, &len);

	if (print_lines(s, span, out))
		return;
	if (len && line[len - 1] == '\r')
		len--;
	if (len > SHOWN_MOST && first > SHOWN_BEFORE)
		from = first - SHOWN_BEFORE;
	while (from && from < len && is_utf8_tail(line[from]))
		from--;
	to = shown_bytes(line, len, from + SHOWN_MOST);
	if (end > to)
		end = to;
	if (end <= first)
		end = first + 1;
	fputs(from ? "  …" : "  ", out);
	put_text(line, from, to, out);
	fprintf(out, "%s\n%s%s", to < len ? "…" : "", from ? "   " : "  ", ink);
	print_underline(line, to, from, first, end, out);
	fprintf(out, "%s\n", paint->off);
}

static void print_message(const char *text, FILE *out)
{
	escape_write(ESCAPE_MESSAGE, text, out);
	fputc('\n', out);
}

static void print_note(const struct source *s, struct span span, const char *text,
		       const struct paint *paint, FILE *out)
{
	fputs(paint->strong, out);
	print_place(s, span, out);
	fprintf(out, "%s%snote:%s ", paint->off, paint->note, paint->off);
	print_message(text, out);
	print_line(s, span, paint->note, paint, out);
}

/* Of a place in a macro: the calls that led to it, the innermost first. */
static void print_calls(const struct source *s, struct span span, const struct paint *paint,
			FILE *out)
{
	for (int i = 0; i < CALLS_MOST && source_call_of(s, span, &span); i++)
		print_note(s, span, "expanded from here", paint, out);
}

void diag_print_lines(const struct source *s, struct span span, FILE *out)
{
	print_line(s, span, "", &plain, out);
	print_calls(s, span, &plain, out);
}

void diag_print_calls(const struct source *s, struct span span, FILE *out)
{
	print_calls(s, span, &plain, out);
}

static void print_one(const struct source *s, const struct diag *d, FILE *out, bool colour)
{
	const struct paint *paint = colour ? &coloured : &plain;
	const char *ink = d->level == DIAG_ERROR ? paint->error : paint->warning;
	const char *word = d->level == DIAG_ERROR ? "error" : "warning";
	bool has_place = d->span.end != 0; /* else SPAN_NONE: it is about the script as a whole */

	fputs(paint->strong, out);
	if (has_place)
		print_place(s, d->span, out);
	else
		print_name(s, out);
	fprintf(out, "%s%s%s:%s ", paint->off, ink, word, paint->off);
	fputs(paint->strong, out);
	escape_write(ESCAPE_MESSAGE, d->msg, out);
	fprintf(out, "%s [%s]\n", paint->off, d->tag);
	if (has_place)
		print_line(s, d->span, ink, paint, out);
	if (d->note)
		print_note(s, d->note_span, d->note, paint, out);
	print_calls(s, d->span, paint, out);
	if (diag_shown_hint(d)) {
		fprintf(out, "%shint:%s ", paint->hint, paint->off);
		print_message(diag_shown_hint(d), out);
	}
}

/* By location; at one location in the order they were added. */
struct placed {
	const struct diag *diag;
	uint32_t start; /* in the script, also of a place in a macro */
};

COMPARE(compare, struct placed, ORDER(a->start, b->start) ?: ORDER(a->diag, b->diag))

const struct diag **diags_sorted(const struct diags *d)
{
	struct placed *order = arena_alloc(d->arena, d->n * sizeof(*order));
	const struct diag **sorted = arena_alloc(d->arena, d->n * sizeof(*sorted));

	for (uint32_t i = 0; i < d->n; i++)
		order[i] = (struct placed){&d->items[i],
					   source_root(d->source, d->items[i].span).start};
	qsort(order, d->n, sizeof(*order), compare);
	for (uint32_t i = 0; i < d->n; i++)
		sorted[i] = order[i].diag;
	return sorted;
}

void diags_print(const struct diags *d, FILE *out, bool colour)
{
	const struct diag **sorted;
	uint32_t n_errors = 0;

	if (!d->n)
		return;
	sorted = diags_sorted(d);
	for (uint32_t i = 0; i < d->n && i < LIMIT_ERRORS; i++) {
		print_one(d->source, sorted[i], out, colour);
		n_errors += sorted[i]->level == DIAG_ERROR;
	}
	if (d->n_errors > n_errors)
		fprintf(out, "… and %u more error%s\n", d->n_errors - n_errors,
			d->n_errors - n_errors == 1 ? "" : "s");
}
