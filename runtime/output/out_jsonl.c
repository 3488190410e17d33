/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of lines of JSON: one object a line, {"type": …, "time": …, …}, as
 * docs/jsonl.schema.json describes them. Unlike those of out_json.c, keys and stacks are arrays,
 * each line has the time at which it was written, and the first and the last say what ran.
 */
#include "runtime/base/clock.h"
#include "runtime/output/out.h"
#include "runtime/output/json_agg.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"
#include <inttypes.h>
#include <stdlib.h>

/* Of the lines; it changes when a reader of older ones would misread them. */
enum { LINES_VERSION = 1 };

struct out_jsonl {
	struct out_file file; /* first */
	struct json_writer writer;
	uint64_t begin_ns, lines;
};

static struct out_jsonl *out_jsonl(struct out *o)
{
	return (struct out_jsonl *)o;
}

/* Seconds with six digits after the point. */
static void put_seconds(struct json *j, const char *key, uint64_t ns)
{
	json_put_format(j, key, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

static struct json *begin_at(struct out_jsonl *w, const char *type, uint64_t ns)
{
	struct json *j = &w->writer.json;

	json_open(j, NULL, '{');
	json_put_string(j, "type", type);
	put_seconds(j, "time", ns);
	w->lines++;
	return j;
}

static struct json *begin(struct out *o, const char *type)
{
	return begin_at(out_jsonl(o), type, clock_ns(CLOCK_REALTIME));
}

static int end(struct out *o)
{
	struct out_jsonl *w = out_jsonl(o);

	json_end_line(&w->writer.json);
	w->file.error = w->file.error ?: w->writer.scratch.error;
	return out_file_done(&w->file);
}

/* ---- the run ------------------------------------------------------------------------------- */

static int jsonl_begin(struct out *o, const struct view_run *r)
{
	struct out_jsonl *w = out_jsonl(o);
	struct json *j = begin_at(w, "begin", r->start);

	w->begin_ns = r->start;
	json_put_unsigned(j, "version", LINES_VERSION);
	json_put_string(j, "sonde", r->version);
	json_put_string(j, "arguments", r->arguments);
	json_put_string(j, "script_name", r->script_name);
	json_put_string(j, "script", r->script);
	json_put_string(j, "command", r->command);
	if (r->pid)
		json_put_unsigned(j, "pid", r->pid);
	json_put_string(j, "kernel", r->kernel);
	json_put_string(j, "machine", r->machine);
	return end(o);
}

static int jsonl_finish(struct out *o)
{
	struct out_jsonl *w = out_jsonl(o);
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct json *j = begin_at(w, "end", now);

	put_seconds(j, "duration", now > w->begin_ns ? now - w->begin_ns : 0);
	json_put_unsigned(j, "lines", w->lines);
	return end(o);
}

static int jsonl_attached(struct out *o, uint32_t n_probes)
{
	json_put_unsigned(begin(o, "attached"), "probes", n_probes);
	return end(o);
}

static int jsonl_lost(struct out *o, const struct view_loss *l)
{
	struct json *j = begin(o, "lost");

	json_put_unsigned(j, "count", l->n);
	json_put_string(j, "probe", l->probe);
	json_put_string(j, "cause", l->cause);
	json_put_string(j, "message", l->what);
	json_put_string(j, "hint", l->help);
	return end(o);
}

static int jsonl_stats(struct out *o, const struct view_stats *s)
{
	json_put_stats(begin(o, "stats"), s);
	return end(o);
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
	begin(o, line_types[e->kind]);
	json_put_printf(&out_jsonl(o)->writer, "text", e, fields);
	return end(o);
}

static int jsonl_message(struct out *o, const struct view_message *m)
{
	struct json *j = begin(o, m->helper ? "helper_error" : line_types[m->kind]);

	json_put_bytes(j, "text", m->text, m->len);
	json_put_string(j, "helper", m->helper);
	if (m->helper)
		json_put_signed(j, "result", m->result);
	json_put_string(j, "file", m->file);
	json_put_unsigned(j, "line", m->line);
	json_put_unsigned(j, "column", m->first);
	json_put_unsigned(j, "end_column", m->end);
	return end(o);
}

static int jsonl_value(struct out *o, const struct view *v)
{
	begin(o, "value");
	json_put_value(&out_jsonl(o)->writer, "value", v);
	return end(o);
}

/* A tuple that is the only key is the same as several keys. */
static void put_map_key(struct json_writer *w, const struct view_map *m, const struct view_row *r)
{
	if (m->n_keys == 1 && r->keys[0].type->kind == TY_TUPLE) {
		json_put_value(w, "key", &r->keys[0]);
		return;
	}
	json_open(&w->json, "key", '[');
	for (uint32_t i = 0; i < m->n_keys; i++)
		json_put_value(w, NULL, &r->keys[i]);
	json_close(&w->json, ']');
}

static int jsonl_map(struct out *o, const struct view_map *m)
{
	struct out_jsonl *w = out_jsonl(o);
	struct json *j;

	if (m->n_rows == 0)
		return w->file.error;
	j = begin(o, "map");
	json_put_string(j, "name", m->name);
	json_put_string(j, "kind", json_agg_line(m->rows[0].value.type));
	json_put_string(j, "unit", m->is_time ? "ns" : NULL);
	json_open(j, "rows", '[');
	for (uint32_t i = 0; i < m->n_rows && w->file.error == 0; i++) {
		json_open(j, NULL, '{');
		if (m->n_keys)
			put_map_key(&w->writer, m, &m->rows[i]);
		json_put_value(&w->writer, "value", &m->rows[i].value);
		json_close(j, '}');
	}
	json_close(j, ']');
	return end(o);
}

static int jsonl_span(struct out *o, const struct view_span *s)
{
	struct json *j = begin(o, "span");

	json_put_string(j, "name", s->name);
	json_put_unsigned(j, "pid", s->pid);
	json_put_unsigned(j, "tid", s->tid);
	json_put_string(j, "comm", s->comm);
	json_put_unsigned(j, "start_ns", s->start);
	if (s->is_left)
		json_put_format(j, "duration_ns", "null");
	else
		json_put_unsigned(j, "duration_ns", s->length);
	if (s->is_left)
		json_put_bool(j, "left", true);
	if (s->tracer)
		json_put_unsigned(j, "tracer_ns", s->tracer);
	json_put_bool(j, "cut", s->is_cut);
	json_put_bool(j, "open", s->is_open);
	return end(o);
}

static int jsonl_test(struct out *o, const struct view_test *v)
{
	struct json *j;

	if (v->stage != VIEW_TEST_RESULT)
		return out_jsonl(o)->file.error;
	j = begin(o, v->is_bench ? "bench" : "test");
	json_put_string(j, "name", v->name);
	json_put_bool(j, "skipped", v->skipped);
	json_put_bool(j, "passed", v->passed);
	json_put_unsigned(j, "ns", v->ns);
	if (v->is_bench)
		json_put_unsigned(j, "runs", v->runs);
	json_put_string(j, "output", v->output);
	return end(o);
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
	text_grown_free(&out_jsonl(o)->writer.scratch);
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
	json_writer_init(&w->writer, &w->file.text);
	w->writer.stacks_are_arrays = true;
	if (out_file_init(&w->file, f)) {
		free(w);
		return NULL;
	}
	return &w->file.out;
}
