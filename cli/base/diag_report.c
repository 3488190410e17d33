/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints diagnostics: see diag_report.h.
 */
#include "cli/base/diag_report.h"
#include "parser/base/diag.h"
#include "parser/base/source.h"
#include "runtime/base/colour.h"
#include "runtime/output/json_text.h"
#include <stdio.h>
#include <unistd.h>

enum { CALLS_MOST = 6 };

static bool is_json;

static void write_out(struct text *t)
{
	fwrite(t->bytes, 1, t->n, stdout);
	t->n = 0;
}

static void put_word(struct text *t, const char *name, const char *value)
{
	text_string(t, name);
	json_put_string(t, value);
}

/* Lines and columns from 1; the end is not included. Without a place it is the whole script. */
static void put_place(struct text *t, const struct source *s, struct span span)
{
	struct place from, to;

	if (!span.end) {
		put_word(t, "\"file\": ", s->name);
		return;
	}
	from = source_place(s, span.start);
	to = source_place(s, span.end > span.start ? span.end - 1 : span.start);
	if (to.in != from.in || to.line < from.line)
		to = from;
	put_word(t, "\"file\": ", from.file);
	text_string(t, ", \"line\": ");
	text_unsigned(t, from.line);
	text_string(t, ", \"column\": ");
	text_unsigned(t, from.col);
	text_string(t, ", \"end_line\": ");
	text_unsigned(t, to.line);
	text_string(t, ", \"end_column\": ");
	text_unsigned(t, to.col + 1);
}

static void put_note(struct text *t, const char **comma, const struct source *s, struct span span,
		     const char *message)
{
	text_string(t, *comma);
	text_char(t, '{');
	put_place(t, s, span);
	put_word(t, ", \"message\": ", message);
	text_char(t, '}');
	*comma = ", ";
}

static void put_diag(struct text *t, const struct source *s, const struct diag *d)
{
	struct span span = d->span;
	const char *comma = "";

	text_char(t, '{');
	put_place(t, s, span);
	text_string(t, d->level == DIAG_ERROR ? ", \"severity\": \"error\""
					      : ", \"severity\": \"warning\"");
	put_word(t, ", \"tag\": ", d->tag);
	put_word(t, ", \"message\": ", d->msg);
	if (d->hint)
		put_word(t, ", \"hint\": ", d->hint);
	text_string(t, ", \"notes\": [");
	if (d->note)
		put_note(t, &comma, s, d->note_span, d->note);
	for (int i = 0; i < CALLS_MOST && source_call_of(s, span, &span); i++)
		put_note(t, &comma, s, span, "expanded from here");
	text_string(t, "]}\n");
}

void diag_report_as_json(void)
{
	is_json = true;
}

void diag_report(const struct diags *d)
{
	const struct diag **sorted = is_json ? diags_sorted(d) : NULL;
	char buffer[4096];
	struct text t = {.bytes = buffer, .capacity = sizeof(buffer), .make_room = write_out};

	if (!is_json) {
		diags_print(d, stderr, colour_is_wanted(STDERR_FILENO));
		return;
	}
	for (uint32_t i = 0; i < d->n; i++)
		put_diag(&t, d->source, sorted[i]);
	write_out(&t);
	fflush(stdout);
}
