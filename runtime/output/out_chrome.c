/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of trace events in JSON, which Perfetto and chrome://tracing show as a timeline: a
 * complete event ("X") for each span, and names of processes and threads. Times are microseconds
 * since the run began. Everything else that the script prints is text on standard error.
 */
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"
#include "runtime/output/thread_names.h"
#include <inttypes.h>

struct out_chrome {
	struct out_file file; /* first */
	struct json json;
	struct thread_names threads;
	uint64_t began;
	bool has_events;
};

static void put_microseconds(struct json *j, const char *key, uint64_t ns)
{
	json_put_format(j, key, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

static struct json *begin_event(struct out_chrome *w, char phase, const char *name, uint32_t pid,
				uint32_t tid)
{
	struct json *j = &w->json;

	text_string(j->text,
		    w->has_events ? ",\n" : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
	w->has_events = true;
	j->has_item = false;
	json_open(j, NULL, '{');
	json_put_bytes(j, "ph", &phase, 1);
	json_put_unsigned(j, "pid", pid);
	json_put_unsigned(j, "tid", tid);
	json_put_string(j, "name", name);
	return j;
}

static void put_thread_name(struct out_chrome *w, const char *what, const struct view_span *s)
{
	struct json *j = begin_event(w, 'M', what, s->pid, s->tid);

	json_open(j, "args", '{');
	json_put_string(j, "name", s->comm);
	json_close(j, '}');
	json_close(j, '}');
}

/* Write the thread's name if it is new. The process has that of its first thread. */
static int name_thread(struct out_chrome *w, const struct view_span *s)
{
	int is_new = thread_names_note(&w->threads, s);

	if (is_new <= 0)
		return is_new;
	put_thread_name(w, "thread_name", s);
	if (s->tid == s->pid)
		put_thread_name(w, "process_name", s);
	return 0;
}

/* A recording may be shown long after it began. */
static int chrome_begin(struct out *o, const struct view_run *run)
{
	((struct out_chrome *)o)->began = run->monotonic;
	return 0;
}

static const char *const categories[VIEW_SPAN_KINDS] = {
#define SPAN_COLOUR(id, category, colour) [VIEW_SPAN_##id] = category,
#include "runtime/output/span_colours.def"
};

/* The place of a span is what it is on the clock, so those inside are in it; what of it is the
 * tracer's own time is an argument. */
static void put_args(struct json *j, const struct view_span *s)
{
	if (!s->is_open && !s->is_cut && !s->is_left && !s->tracer && !s->arguments)
		return;
	json_open(j, "args", '{');
	json_put_call(j, s);
	if (s->is_cut)
		json_put_bool(j, "began", false);
	if (s->is_open)
		json_put_bool(j, "ended", false);
	if (s->is_left)
		json_put_bool(j, "left", true);
	if (s->tracer)
		json_put_unsigned(j, "tracer_ns", s->tracer);
	json_close(j, '}');
}

static int chrome_span(struct out *o, const struct view_span *s)
{
	struct out_chrome *w = (struct out_chrome *)o;
	struct json *j;

	if (name_thread(w, s))
		return -ENOMEM;
	j = begin_event(w, s->is_left ? 'i' : 'X', s->name, s->pid, s->tid); /* i: an instant */
	json_put_string(j, "cat", categories[s->kind]);
	put_microseconds(j, "ts", s->start > w->began ? s->start - w->began : 0);
	if (s->is_left)
		json_put_string(j, "s", "t");
	else
		put_microseconds(j, "dur", s->length);
	put_args(j, s);
	json_close(j, '}');
	return out_file_done(&w->file);
}

static int chrome_finish(struct out *o)
{
	struct out_chrome *w = (struct out_chrome *)o;

	text_string(&w->file.text,
		    w->has_events ? "\n]}\n"
				  : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": []}\n");
	return 0;
}

static void chrome_release(struct out *o)
{
	hash_free(&((struct out_chrome *)o)->threads);
}

struct out *out_chrome_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = chrome_begin,
		.span = chrome_span,
		.finish = chrome_finish,
		.release = chrome_release,
	};
	struct out_chrome *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->json.text = &w->file.text;
	w->began = monotonic_ns();
	return &w->file.out;
}
