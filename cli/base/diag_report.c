/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints diagnostics: see diag_report.h.
 */
#include "cli/base/diag_report.h"
#include "parser/base/diag.h"
#include "parser/base/source.h"
#include "runtime/base/colour.h"
#include "runtime/base/json.h"
#include <unistd.h>

enum { CALLS_MOST = 6 };

static bool is_json;

/* Lines and columns from 1; the end is not included. Without a place it is the whole script. */
static void put_place(struct json *j, const struct source *s, struct span span)
{
	struct place from, to;

	if (!span.end) {
		json_put_string(j, "file", s->name);
		return;
	}
	from = source_place(s, span.start);
	to = source_place(s, span.end > span.start ? span.end - 1 : span.start);
	if (to.in != from.in || to.line < from.line)
		to = from;
	json_put_string(j, "file", from.file);
	json_put_unsigned(j, "line", from.line);
	json_put_unsigned(j, "column", from.col);
	json_put_unsigned(j, "end_line", to.line);
	json_put_unsigned(j, "end_column", to.col + 1);
}

static void put_note(struct json *j, const struct source *s, struct span span, const char *message)
{
	json_open(j, NULL, '{');
	put_place(j, s, span);
	json_put_string(j, "message", message);
	json_close(j, '}');
}

static void put_diag(struct json *j, const struct source *s, const struct diag *d)
{
	struct span span = d->span;

	json_open(j, NULL, '{');
	put_place(j, s, span);
	json_put_string(j, "severity", d->level == DIAG_ERROR ? "error" : "warning");
	json_put_string(j, "tag", d->tag);
	json_put_string(j, "message", d->msg);
	json_put_string(j, "hint", diag_shown_hint(d));
	json_open(j, "notes", '[');
	if (d->note)
		put_note(j, s, d->note_span, d->note);
	for (int i = 0; i < CALLS_MOST && source_call_of(s, span, &span); i++)
		put_note(j, s, span, "expanded from here");
	json_close(j, ']');
	json_end_line(j);
}

void diag_report_as_json(void)
{
	is_json = true;
}

void diag_report(const struct diags *d)
{
	const struct diag **sorted = is_json ? diags_sorted(d) : NULL;
	struct text_file file;
	struct json j = {.text = &file.text};

	if (!is_json) {
		diags_print(d, stderr, colour_is_wanted(STDERR_FILENO));
		return;
	}
	text_file_init(&file, stdout);
	for (uint32_t i = 0; i < d->n; i++)
		put_diag(&j, d->source, sorted[i]);
	text_file_flush(&file);
	fflush(stdout);
}
