/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of lines of JSON: one object a line, {"type": …, "time": …, …}, as
 * docs/jsonl.schema.json describes them. Unlike those of out_json.c, keys and stacks are arrays,
 * each line has the time at which it was written, and the first and the last say what ran.
 */
#include "runtime/base/clock.h"
#include "runtime/output/out.h"
#include "runtime/output/json_agg.h"
#include "runtime/output/json_text.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"
#include <inttypes.h>
#include <stdlib.h>

/* Of the lines; it changes when a reader of older ones would misread them. */
enum { LINES_VERSION = 1 };

struct out_jsonl {
	struct out_file file; /* first */
	struct json_scratch scratch;
	struct json_writer writer;
	uint64_t begin_ns, lines;
};

static struct out_jsonl *out_jsonl(struct out *o)
{
	return (struct out_jsonl *)o;
}

static void put_number(struct text *t, const char *name, uint64_t value)
{
	text_string(t, ", \"");
	text_string(t, name);
	text_string(t, "\": ");
	text_unsigned(t, value);
}

static void put_word(struct text *t, const char *name, const char *value)
{
	if (!value)
		return;
	text_string(t, ", \"");
	text_string(t, name);
	text_string(t, "\": ");
	json_put_string(t, value);
}

static void put_flag(struct text *t, const char *name, bool value)
{
	text_string(t, ", \"");
	text_string(t, name);
	text_string(t, value ? "\": true" : "\": false");
}

/* Seconds, with `digits` of 9 behind the point. */
static void put_seconds(struct text *t, const char *name, uint64_t ns)
{
	char text[48];

	snprintf(text, sizeof(text), ", \"%s\": %" PRIu64 ".%06" PRIu64, name, ns / 1000000000,
		 ns % 1000000000 / 1000);
	text_string(t, text);
}

static struct text *begin_at(struct out_jsonl *w, const char *type, uint64_t ns)
{
	struct text *t = &w->file.text;

	text_string(t, "{\"type\": \"");
	text_string(t, type);
	text_char(t, '"');
	put_seconds(t, "time", ns);
	w->lines++;
	return t;
}

static struct text *begin(struct out_jsonl *w, const char *type)
{
	return begin_at(w, type, clock_ns(CLOCK_REALTIME));
}

static int end(struct out_jsonl *w)
{
	text_string(&w->file.text, "}\n");
	return out_file_done(&w->file);
}

/* ---- the run ------------------------------------------------------------------------------- */

static int jsonl_begin(struct out *o, const struct view_run *r)
{
	struct out_jsonl *w = out_jsonl(o);
	struct text *t = begin_at(w, "begin", r->start);

	w->begin_ns = r->start;
	put_number(t, "version", LINES_VERSION);
	put_word(t, "sonde", r->version);
	put_word(t, "arguments", r->arguments);
	put_word(t, "script_name", r->script_name);
	put_word(t, "script", r->script);
	put_word(t, "command", r->command);
	if (r->pid)
		put_number(t, "pid", r->pid);
	put_word(t, "kernel", r->kernel);
	put_word(t, "machine", r->machine);
	return end(w);
}

static int jsonl_finish(struct out *o)
{
	struct out_jsonl *w = out_jsonl(o);
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct text *t = begin_at(w, "end", now);

	put_seconds(t, "duration", now > w->begin_ns ? now - w->begin_ns : 0);
	put_number(t, "lines", w->lines);
	return end(w);
}

static int jsonl_attached(struct out *o, uint32_t n_probes)
{
	struct text *t = begin(out_jsonl(o), "attached");

	put_number(t, "probes", n_probes);
	return end(out_jsonl(o));
}

static int jsonl_lost(struct out *o, const struct view_loss *l)
{
	struct text *t = begin(out_jsonl(o), "lost");

	put_number(t, "count", l->n);
	put_word(t, "probe", l->probe);
	put_word(t, "cause", l->cause);
	put_word(t, "message", l->what);
	put_word(t, "hint", l->help);
	return end(out_jsonl(o));
}

static int jsonl_stats(struct out *o, const struct view_stats *s)
{
	struct text *t = begin(out_jsonl(o), "stats");

	put_number(t, "elapsed_ns", s->elapsed_ns);
	put_number(t, "sonde_ns", s->self_ns);
	put_flag(t, "whole_run", s->is_all);
	text_string(t, ", \"probes\": [");
	for (uint32_t i = 0; i < s->n; i++) {
		text_string(t, i ? ", {\"probe\": " : "{\"probe\": ");
		json_put_string(t, s->rows[i].name);
		put_number(t, "hits", s->rows[i].hits);
		put_number(t, "runs", s->rows[i].runs);
		put_number(t, "ns", s->rows[i].ns);
		put_number(t, "missed", s->rows[i].missed);
		put_number(t, "lost", s->rows[i].lost);
		text_char(t, '}');
	}
	text_char(t, ']');
	return end(out_jsonl(o));
}

/* ---- what scripts print -------------------------------------------------------------------- */

static const char *const line_types[] = {
#define EVENT(id, name, json, ...) [PE_##id] = json,
#include "parser/lang/event_kinds.def"
#undef EVENT
};
_Static_assert(sizeof(line_types) / sizeof(*line_types) == PE_KIND_COUNT, "one for each kind");

static int jsonl_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_jsonl *w = out_jsonl(o);
	struct text *t = begin(w, line_types[e->kind]), *scratch = &w->scratch.text;

	scratch->n = 0;
	format_printf(scratch, e, fields);
	text_string(t, ", \"text\": \"");
	json_put_escaped(t, scratch->bytes, scratch->n);
	text_char(t, '"');
	return end(w);
}

static int jsonl_message(struct out *o, const struct view_message *m)
{
	struct out_jsonl *w = out_jsonl(o);
	struct text *t = begin(w, m->helper ? "helper_error" : line_types[m->kind]);

	text_string(t, ", \"text\": \"");
	json_put_escaped(t, m->text, m->len);
	text_char(t, '"');
	put_word(t, "helper", m->helper);
	if (m->helper) {
		text_string(t, ", \"result\": ");
		text_signed(t, m->result);
	}
	put_word(t, "file", m->file);
	put_number(t, "line", m->line);
	put_number(t, "column", m->first);
	put_number(t, "end_column", m->end);
	return end(w);
}

static int jsonl_value(struct out *o, const struct view *v)
{
	struct out_jsonl *w = out_jsonl(o);
	struct text *t = begin(w, "value");

	text_string(t, ", \"value\": ");
	json_put_value(&w->writer, v);
	return end(w);
}

/* A tuple that is the only key is the same as several keys. */
static void put_key(struct out_jsonl *w, const struct view_map *m, const struct view_row *r)
{
	struct text *t = &w->file.text;
	bool is_tuple = m->n_keys == 1 && r->keys[0].type->kind == TY_TUPLE;

	text_string(t, "\"key\": ");
	if (is_tuple) {
		json_put_value(&w->writer, &r->keys[0]);
	} else {
		text_char(t, '[');
		for (uint32_t i = 0; i < m->n_keys; i++) {
			text_string(t, i ? ", " : "");
			json_put_value(&w->writer, &r->keys[i]);
		}
		text_char(t, ']');
	}
	text_string(t, ", ");
}

static int jsonl_map(struct out *o, const struct view_map *m)
{
	struct out_jsonl *w = out_jsonl(o);
	struct text *t = &w->file.text;

	if (m->n_rows == 0)
		return w->file.error;
	begin(w, "map");
	put_word(t, "name", m->name);
	put_word(t, "kind", json_agg_line(m->rows[0].value.type));
	put_word(t, "unit", m->is_time ? "ns" : NULL);
	text_string(t, ", \"rows\": [");
	for (uint32_t i = 0; i < m->n_rows && w->file.error == 0; i++) {
		text_string(t, i ? ", {" : "{");
		if (m->n_keys)
			put_key(w, m, &m->rows[i]);
		text_string(t, "\"value\": ");
		json_put_value(&w->writer, &m->rows[i].value);
		text_char(t, '}');
	}
	text_char(t, ']');
	return end(w);
}

static int jsonl_span(struct out *o, const struct view_span *s)
{
	struct text *t = begin(out_jsonl(o), "span");

	put_word(t, "name", s->name);
	put_number(t, "pid", s->pid);
	put_number(t, "tid", s->tid);
	put_word(t, "comm", s->comm);
	put_number(t, "start_ns", s->start);
	if (s->is_left)
		text_string(t, ", \"duration_ns\": null, \"left\": true");
	else
		put_number(t, "duration_ns", s->length);
	if (s->tracer)
		put_number(t, "tracer_ns", s->tracer);
	put_flag(t, "cut", s->is_cut);
	put_flag(t, "open", s->is_open);
	return end(out_jsonl(o));
}

static int jsonl_test(struct out *o, const struct view_test *v)
{
	struct out_jsonl *w = out_jsonl(o);
	struct text *t;

	if (v->stage != VIEW_TEST_RESULT)
		return w->file.error;
	t = begin(w, v->is_bench ? "bench" : "test");
	put_word(t, "name", v->name);
	put_flag(t, "skipped", v->skipped);
	put_flag(t, "passed", v->passed);
	put_number(t, "ns", v->ns);
	if (v->is_bench)
		put_number(t, "runs", v->runs);
	put_word(t, "output", v->output);
	return end(w);
}

static int jsonl_end(struct out *o)
{
	return out_jsonl(o)->file.error;
}

static void jsonl_close(struct out *o)
{
	if (!o)
		return;
	out_finish(o);
	json_scratch_free(&out_jsonl(o)->scratch);
	free(o);
}

struct out *out_jsonl_new(FILE *f, const struct plan *plan, const char *word)
{
	struct out_jsonl *w = calloc(1, sizeof(*w));

	(void)plan;
	(void)word;
	if (!w)
		return NULL;
	w->file.out = (struct out){
		.begin = jsonl_begin,
		.printf_event = jsonl_printf_event,
		.message = jsonl_message,
		.value = jsonl_value,
		.map = jsonl_map,
		.span = jsonl_span,
		.attached = jsonl_attached,
		.lost = jsonl_lost,
		.stats = jsonl_stats,
		.test = jsonl_test,
		.end = jsonl_end,
		.flush = out_file_flush,
		.finish = jsonl_finish,
		.close = jsonl_close,
	};
	w->writer = (struct json_writer){.text = &w->file.text,
					 .scratch = &w->scratch,
					 .stacks_are_arrays = true};
	if (json_scratch_init(&w->scratch, true, &w->file.error) || out_file_init(&w->file, f)) {
		json_scratch_free(&w->scratch);
		free(w);
		return NULL;
	}
	return &w->file.out;
}
