/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON writer: one object per line, {"type": …, "data": …}. Reads views; out_file.c has the
 * buffer and the descriptor. Text of format.c goes to a scratch buffer first and is then quoted
 * (runtime/base/json.h).
 */
#include "runtime/output/json_agg.h"
#include "runtime/output/out.h"
#include "runtime/output/json_names.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"
#include <errno.h>
#include <stdlib.h>

struct out_json {
	struct out_file file; /* first */
	struct json_writer writer;
	struct text_grown name; /* of a row, escaped */
	struct json_names names;
};

static struct out_json *out_json(struct out *o)
{
	return (struct out_json *)o;
}

static void key_part(struct text *t, uint32_t i, const struct view *part)
{
	if (i > 0)
		text_char(t, ',');
	format_view(t, part);
}

/* Different keys can have the same text: "a,b" and "c", "a" and "b,c". Of equal names, most readers
 * keep the last, so the second one becomes "a,b,c#2". */
static void make_unique(struct out_json *w)
{
	size_t n = w->name.text.n;
	int is_new;

	for (uint32_t i = 2;
	     !(is_new = json_names_add(&w->names, w->name.text.bytes, w->name.text.n)); i++) {
		w->name.text.n = n;
		text_char(&w->name.text, '#');
		text_unsigned(&w->name.text, i);
	}
	if (is_new < 0 && !w->file.error)
		w->file.error = is_new;
}

/* An object's key is one string: the text of the parts, separated by commas. A tuple is the same as
 * several keys. */
static void put_key(struct out_json *w, const struct view_map *m, const struct view_row *r)
{
	bool is_tuple = m->n_keys == 1 && r->keys[0].type->kind == TY_TUPLE;
	struct text *key = &w->writer.scratch.text, *name = &w->name.text;
	struct view part;

	key->n = 0;
	for (uint32_t i = 0; is_tuple && i < r->keys[0].type->n_members; i++) {
		view_part(&r->keys[0], i, &part);
		key_part(key, i, &part);
	}
	for (uint32_t i = 0; !is_tuple && i < m->n_keys; i++)
		key_part(key, i, &r->keys[i]);
	name->n = 0;
	json_escape(name, key->bytes, key->n);
	make_unique(w);
	json_put_escaped_key(&w->writer.json, name->bytes, name->n);
}

/* ---- lines --------------------------------------------------------------------------------- */

static struct json *begin(struct out_json *w, const char *type)
{
	json_open(&w->writer.json, NULL, '{');
	json_put_string(&w->writer.json, "type", type);
	return &w->writer.json;
}

static int end(struct out_json *w)
{
	json_end_line(&w->writer.json);
	w->file.error = w->file.error ?: w->writer.scratch.error ?: w->name.error;
	return out_file_done(&w->file);
}

static const char *const line_types[] = {
#define EVENT(id, name, json, ...) [PE_##id] = json,
#include "parser/lang/event_kinds.def"
#undef EVENT
};

_Static_assert(sizeof(line_types) / sizeof(*line_types) == PE_KIND_COUNT, "one for each kind");

static int json_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_json *w = out_json(o);

	begin(w, line_types[e->kind]);
	json_put_printf(&w->writer, "data", e, fields);
	return end(w);
}

static int json_message(struct out *o, const struct view_message *m)
{
	struct out_json *w = out_json(o);
	struct json *j = begin(w, m->helper ? "helper_error" : line_types[m->kind]);

	json_put_bytes(j, "msg", m->text, m->len);
	json_put_string(j, "helper", m->helper);
	if (m->helper)
		json_put_signed(j, "retcode", m->result);
	json_put_string(j, "filename", m->file);
	json_put_unsigned(j, "line", m->line);
	json_put_unsigned(j, "col", m->first);
	return end(w);
}

static int json_value(struct out *o, const struct view *v)
{
	struct out_json *w = out_json(o);

	begin(w, "value");
	json_put_value(&w->writer, "data", v);
	return end(w);
}

static int json_map(struct out *o, const struct view_map *m)
{
	struct out_json *w = out_json(o);
	struct json *j = &w->writer.json;

	if (m->n_rows == 0)
		return w->file.error;
	begin(w, json_agg_line(m->rows[0].value.type));
	json_open(j, "data", '{');
	if (m->n_keys)
		json_open(j, m->name, '{');
	for (uint32_t i = 0; i < m->n_rows && w->file.error == 0; i++) {
		if (m->n_keys)
			put_key(w, m, &m->rows[i]);
		json_put_value(&w->writer, m->n_keys ? NULL : m->name, &m->rows[i].value);
	}
	if (m->n_keys)
		json_close(j, '}');
	hash_free(&w->names);
	json_close(j, '}');
	return end(w);
}

static int json_attached(struct out *o, uint32_t n_probes)
{
	struct json *j = begin(out_json(o), "attached_probes");

	json_put_unsigned(j, "count", n_probes);
	json_open(j, "data", '{');
	json_put_unsigned(j, "probes", n_probes);
	json_close(j, '}');
	return end(out_json(o));
}

static int json_stats(struct out *o, const struct view_stats *s)
{
	struct json *j = begin(out_json(o), "stats");

	json_open(j, "data", '{');
	json_put_stats(j, s);
	json_close(j, '}');
	return end(out_json(o));
}

static int json_lost(struct out *o, const struct view_loss *l)
{
	struct json *j = begin(out_json(o), "lost_events");

	json_put_unsigned(j, "count", l->n);
	json_open(j, "data", '{');
	json_put_unsigned(j, "events", l->n);
	json_put_string(j, "probe", l->probe);
	json_put_string(j, "cause", l->cause);
	json_put_string(j, "msg", l->what);
	json_put_string(j, "hint", l->help);
	json_close(j, '}');
	return end(out_json(o));
}

static int json_test(struct out *o, const struct view_test *v)
{
	struct out_json *w = out_json(o);
	struct json *j = &w->writer.json;

	if (v->stage != VIEW_TEST_RESULT || v->skipped)
		return w->file.error;
	begin(w, v->is_bench ? "benchmark_result" : "test_result");
	json_open(j, "data", '{');
	json_open(j, v->name, '{');
	json_put_unsigned(j, v->is_bench ? "average" : "duration", v->ns);
	if (v->is_bench)
		json_put_unsigned(j, "iters", v->runs);
	if (!v->is_bench || !v->passed)
		json_put_bool(j, "passed", v->passed);
	if (!v->is_bench)
		json_put_string(j, "output", v->output);
	json_close(j, '}');
	json_close(j, '}');
	return end(w);
}

static int json_span(struct out *o, const struct view_span *s)
{
	struct json *j = begin(out_json(o), "span");

	json_open(j, "data", '{');
	json_put_string(j, "name", s->name);
	json_put_unsigned(j, "pid", s->pid);
	json_put_unsigned(j, "tid", s->tid);
	json_put_string(j, "comm", s->comm);
	json_put_unsigned(j, "start", s->start);
	if (s->is_left)
		json_put_format(j, "duration", "null");
	else
		json_put_unsigned(j, "duration", s->length);
	if (s->is_left)
		json_put_bool(j, "left", true);
	if (s->tracer)
		json_put_unsigned(j, "tracer", s->tracer);
	json_put_bool(j, "cut", s->is_cut);
	json_put_bool(j, "open", s->is_open);
	json_close(j, '}');
	return end(out_json(o));
}

static int json_end(struct out *o)
{
	return out_json(o)->file.error;
}

static void close_json(struct out *o)
{
	if (!o)
		return;
	out_finish(o);
	text_grown_free(&out_json(o)->writer.scratch);
	text_grown_free(&out_json(o)->name);
	free(o);
}

struct out *out_json_new(FILE *f)
{
	struct out_json *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->file.out = (struct out){
		.printf_event = json_printf_event,
		.message = json_message,
		.value = json_value,
		.map = json_map,
		.span = json_span,
		.attached = json_attached,
		.lost = json_lost,
		.stats = json_stats,
		.test = json_test,
		.end = json_end,
		.flush = out_file_flush,
		.close = close_json,
	};
	json_writer_init(&w->writer, &w->file.text);
	text_grown_init(&w->name);
	if (out_file_init(&w->file, f)) {
		free(w);
		return NULL;
	}
	return &w->file.out;
}
