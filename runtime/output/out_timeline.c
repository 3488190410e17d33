/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of a timeline: one page of HTML that needs no other file, and loads none. The spans
 * are rows of JSON in it, as they come; page/timeline.js arranges and draws them:
 *
 *   ["t", TID, PID, NAME]                              the thread's name, from now on
 *   [TID, KIND, START, LENGTH, FLAGS, TRACER, NAME]    a span; nanoseconds since the run began;
 *                                                      its values, as text, may follow
 *
 * Names may be hostile. They are data: JSON in which '<' is escaped, so that no name can end the
 * element; the page only draws them, or sets them as text.
 */
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/output/out_file.h"
#include "runtime/output/run_title.h"
#include "runtime/output/thread_names.h"
#include "runtime/view/format.h"
#include <errno.h>
#include <stdlib.h>

/* files of runtime/output/page, with a NUL at the end */
extern const char sonde_timeline_css[], sonde_timeline_js[];

enum { VALUES_BYTES = 4096, FRAMES = 32 }; /* of what is shown of a span's values */

/* What page/timeline.js knows by the same numbers. */
enum { FLAG_OPEN = 1, FLAG_LEFT = 2, FLAG_CUT = 4 };

struct out_timeline {
	struct out_file file; /* first */
	struct thread_names threads;
	char *subject, *script;
	uint64_t began;
	bool has_head, has_rows;
};

static const char *const kinds[VIEW_SPAN_KINDS][2] = {
#define SPAN_COLOUR(id, category, colour) [VIEW_SPAN_##id] = {category, colour},
#include "runtime/output/span_colours.def"
};

/* A string of JSON within an element of HTML. */
static void put_name(struct text *t, const char *name)
{
	text_string(t, "\"");
	for (size_t n; *name; name += n) {
		n = strcspn(name, "<");
		json_escape(t, name, n);
		if (name[n]) {
			text_string(t, "\\u003c");
			n++;
		}
	}
	text_string(t, "\"");
}

static void put_xml(struct text *t, const char *s)
{
	if (s)
		text_xml(t, s, strlen(s));
}

static void put_head(struct out_timeline *w)
{
	struct text *t = &w->file.text;

	w->has_head = true;
	text_string(t,
		    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>timeline: ");
	put_xml(t, w->subject);
	text_string(t, "</title>\n<style>\n");
	text_string(t, sonde_timeline_css);
	text_string(t, "</style></head><body>\n<header><h1>");
	put_xml(t, w->subject ?: "timeline");
	text_string(t, "</h1>\n<p id=\"script\">");
	put_xml(t, w->script);
	text_string(t,
		    "</p>\n<p><input id=\"search\" type=\"search\" "
		    "placeholder=\"search (regex): key /\"> <button id=\"next\">next (n)</button> "
		    "<button id=\"reset\">reset (Esc)</button> <output id=\"found\"></output> "
		    "<span id=\"legend\"></span></p>\n<p id=\"details\"></p></header>\n"
		    "<div id=\"view\" tabindex=\"0\" role=\"application\" "
		    "aria-label=\"timeline\"><canvas id=\"canvas\"></canvas><div "
		    "id=\"spacer\"></div></div>\n"
		    "<script type=\"application/json\" id=\"data\">\n{\"kinds\": [");
	for (int i = 0; i < VIEW_SPAN_KINDS; i++)
		text_printf(t, "%s[\"%s\", \"%s\"]", i ? ", " : "", kinds[i][0], kinds[i][1]);
	text_string(t, "],\n\"rows\": [");
}

static struct text *begin_row(struct out_timeline *w)
{
	if (!w->has_head)
		put_head(w);
	text_string(&w->file.text, w->has_rows ? ",\n" : "\n");
	w->has_rows = true;
	return &w->file.text;
}

static int name_thread(struct out_timeline *w, const struct view_span *s)
{
	int is_new = thread_names_note(&w->threads, s);
	struct text *t;

	if (is_new <= 0)
		return is_new;
	t = begin_row(w);
	text_printf(t, "[\"t\",%u,%u,", s->tid, s->pid);
	put_name(t, s->comm);
	text_string(t, "]");
	return 0;
}

/* A recording may be shown long after it began. */
static int timeline_begin(struct out *o, const struct view_run *run)
{
	struct out_timeline *w = (struct out_timeline *)o;

	w->began = run->monotonic;
	w->subject = run_subject(run);
	w->script = run_script(run);
	return 0;
}

static int timeline_span(struct out *o, const struct view_span *s)
{
	struct out_timeline *w = (struct out_timeline *)o;
	uint64_t start = s->start > w->began ? s->start - w->began : 0;
	char bytes[VALUES_BYTES];
	struct text *t;

	if (name_thread(w, s))
		return -ENOMEM;
	t = begin_row(w);
	text_printf(t, "[%u,%d,%llu,%llu,%d,%llu,", s->tid, (int)s->kind, (unsigned long long)start,
		    (unsigned long long)s->length,
		    (s->is_open ? FLAG_OPEN : 0) | (s->is_left ? FLAG_LEFT : 0) |
			    (s->is_cut ? FLAG_CUT : 0),
		    (unsigned long long)s->tracer);
	put_name(t, s->name);
	if (s->n_values) {
		struct text values = text_in_array(bytes, sizeof(bytes));

		values.is_quoted = true;
		format_span_values(&values, s, FRAMES);
		text_terminate(&values);
		text_char(t, ',');
		put_name(t, bytes);
	}
	text_string(t, "]");
	return out_file_done(&w->file);
}

static int timeline_finish(struct out *o)
{
	struct out_timeline *w = (struct out_timeline *)o;
	struct text *t = &w->file.text;

	if (!w->has_head)
		put_head(w);
	text_string(t, "\n]}\n</script>\n<script>\n");
	text_string(t, sonde_timeline_js);
	text_string(t, "</script>\n</body></html>\n");
	return 0;
}

static void timeline_release(struct out *o)
{
	struct out_timeline *w = (struct out_timeline *)o;

	hash_free(&w->threads);
	free(w->subject);
	free(w->script);
}

struct out *out_timeline_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = timeline_begin,
		.span = timeline_span,
		.finish = timeline_finish,
		.release = timeline_release,
	};
	struct out_timeline *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->began = monotonic_ns();
	return &w->file.out;
}
