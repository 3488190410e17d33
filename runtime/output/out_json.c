/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers of JSON, one object a line. -f json has the shapes of bpftrace: {"type": …,
 * "data": …}; what -f jsonl does otherwise is in out_jsonl.c. Text of format.c goes to a scratch
 * buffer first and is then quoted (runtime/base/json.h).
 */
#include "runtime/base/clock.h"
#include "runtime/output/out_json_impl.h"
#include <inttypes.h>

static const struct json_form json_form = {
	.has_data = true,
	.printed = "data",
	.value = "data",
	.text = "msg",
	.result = "retcode",
	.file = "filename",
	.column = "col",
	.attached = "attached_probes",
	.lost = "lost_events",
	.what = "msg",
	.start = "start",
	.length = "duration",
	.tracer = "tracer",
};

/* ---- lines --------------------------------------------------------------------------------- */

/* Seconds with six digits after the point. */
void json_put_seconds(struct json *j, const char *key, uint64_t ns)
{
	json_put_format(j, key, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

/* By which lines of many machines are told apart. */
static void put_host(struct json *j, const struct view_run *r)
{
	json_put_string(j, "host", r->host);
	if (!r->n_labels)
		return;
	json_open(j, "labels", '{');
	for (uint32_t i = 0; i < r->n_labels; i++) {
		json_put_escaped_key(j, r->labels[i].name, r->labels[i].name_len);
		json_put_string(j, NULL, r->labels[i].value);
	}
	json_close(j, '}');
}

struct json *json_begin_at(struct out *o, const char *type, uint64_t ns)
{
	struct out_json *w = out_json(o);
	struct json *j = &w->writer.json;

	json_open(j, NULL, '{');
	json_put_string(j, "type", type);
	if (!w->form->has_data) {
		json_put_seconds(j, "time", ns);
		put_host(j, &w->run);
	}
	w->lines++;
	return j;
}

struct json *json_begin(struct out *o, const char *type)
{
	bool has_time = !out_json(o)->form->has_data;

	return json_begin_at(o, type, has_time ? clock_ns(CLOCK_REALTIME) : 0);
}

int json_end(struct out *o)
{
	struct out_json *w = out_json(o);

	json_end_line(&w->writer.json);
	w->file.error = w->file.error ?: w->writer.scratch.error ?: w->name.error;
	return out_file_done(&w->file);
}

static void open_data(struct out *o)
{
	if (out_json(o)->form->has_data)
		json_open(&out_json(o)->writer.json, "data", '{');
}

static int end_data(struct out *o)
{
	if (out_json(o)->form->has_data)
		json_close(&out_json(o)->writer.json, '}');
	return json_end(o);
}

/* ---- the run ------------------------------------------------------------------------------- */

static int json_attached(struct out *o, uint32_t n_probes)
{
	const struct json_form *f = out_json(o)->form;
	struct json *j = json_begin(o, f->attached);

	if (f->has_data)
		json_put_unsigned(j, "count", n_probes);
	open_data(o);
	json_put_unsigned(j, "probes", n_probes);
	return end_data(o);
}

static int json_lost(struct out *o, const struct view_loss *l)
{
	struct out_json *w = out_json(o);
	const struct json_form *f = w->form;
	const char *host = w->run.host;
	struct json *j;

	w->run.host = l->host ?: host;
	j = json_begin(o, f->lost);
	w->run.host = host;
	json_put_unsigned(j, "count", l->n);
	open_data(o);
	if (f->has_data)
		json_put_unsigned(j, "events", l->n);
	json_put_string(j, "probe", l->probe);
	json_put_string(j, "cause", l->cause);
	json_put_string(j, f->what, l->what);
	json_put_string(j, "hint", l->help);
	json_put_string(j, "host", f->has_data ? l->host : NULL);
	return end_data(o);
}

static int json_stats(struct out *o, const struct view_stats *s)
{
	struct json *j = json_begin(o, "stats");

	open_data(o);
	json_put_unsigned(j, "elapsed_ns", s->elapsed_ns);
	json_put_unsigned(j, "sonde_ns", s->self_ns);
	json_put_bool(j, "whole_run", s->is_all);
	json_open(j, "probes", '[');
	for (uint32_t i = 0; i < s->n; i++) {
		const struct view_stats_row *r = &s->rows[i];

		json_open(j, NULL, '{');
		json_put_string(j, "probe", r->name);
		json_put_unsigned(j, "hits", r->hits);
		json_put_unsigned(j, "runs", r->runs);
		json_put_unsigned(j, "ns", r->ns);
		json_put_unsigned(j, "missed", r->missed);
		json_put_unsigned(j, "lost", r->lost);
		if (r->kstacks) {
			json_put_unsigned(j, "kernel_stacks", r->kstacks);
			json_put_unsigned(j, "recalled", r->recalled);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
	return end_data(o);
}

/* ---- what scripts print -------------------------------------------------------------------- */

static const char *const line_types[] = {
#define EVENT(id, name, json, ...) [PE_##id] = json,
#include "parser/lang/event_kinds.def"
};
_Static_assert(sizeof(line_types) / sizeof(*line_types) == PE_KIND_COUNT, "one for each kind");

static int json_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_json *w = out_json(o);

	json_begin(o, line_types[e->kind]);
	json_put_printf(&w->writer, w->form->printed, e, fields);
	return json_end(o);
}

static int json_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	bool has_data = out_json(o)->form->has_data;

	json_begin(o, line_types[e->kind]);
	json_put_row(&out_json(o)->writer, !has_data, has_data ? "data" : "row", e, fields);
	return json_end(o);
}

static int json_message(struct out *o, const struct view_message *m)
{
	const struct json_form *f = out_json(o)->form;
	struct json *j = json_begin(o, m->helper ? "helper_error" : line_types[m->kind]);

	json_put_bytes(j, f->text, m->text, m->len);
	json_put_string(j, "helper", m->helper);
	if (m->helper)
		json_put_signed(j, f->result, m->result);
	json_put_string(j, f->file, m->file);
	json_put_unsigned(j, "line", m->line);
	json_put_unsigned(j, f->column, m->first);
	if (f->end_column)
		json_put_unsigned(j, f->end_column, m->end);
	return json_end(o);
}

static int json_value(struct out *o, const struct view *v)
{
	struct out_json *w = out_json(o);

	json_begin(o, "value");
	json_put_value(&w->writer, w->form->value, v);
	return json_end(o);
}

static int json_span(struct out *o, const struct view_span *s)
{
	const struct json_form *f = out_json(o)->form;
	struct json *j = json_begin(o, "span");

	open_data(o);
	json_put_string(j, "name", s->name);
	json_put_unsigned(j, "pid", s->pid);
	json_put_unsigned(j, "tid", s->tid);
	json_put_string(j, "comm", s->comm);
	json_put_call(&out_json(o)->writer, "values", s);
	json_put_unsigned(j, f->start, s->start);
	if (s->is_left)
		json_put_format(j, f->length, "null");
	else
		json_put_unsigned(j, f->length, s->length);
	if (s->is_left)
		json_put_bool(j, "left", true);
	if (s->tracer)
		json_put_unsigned(j, f->tracer, s->tracer);
	json_put_bool(j, "cut", s->is_cut);
	json_put_bool(j, "open", s->is_open);
	return end_data(o);
}

/* ---- maps ---------------------------------------------------------------------------------- */

HASH_INTEGER_FUNCTIONS(json_names, uint64_t, uint64_t, hash_none, *e, *e)

/* 1 for a new name, 0 for one that the object has, -ENOMEM. Rarely, the hash
 * of a new name is that of another: it gets a suffix that it does not need. */
static int add_name(struct out_json *w)
{
	uint64_t hash = hash_bytes(w->name.text.bytes, w->name.text.n);

	hash += !hash; /* 0 is a free slot */
	if (json_names_find(&w->names, hash))
		return 0;
	return json_names_insert(&w->names, hash) ? -ENOMEM : 1;
}

/* Different keys can have the same text: "a,b" and "c", "a" and "b,c". Of equal names, most readers
 * keep the last, so the second one becomes "a,b,c#2". */
static void make_unique(struct out_json *w)
{
	size_t n = w->name.text.n;
	int is_new;

	for (uint32_t i = 2; !(is_new = add_name(w)); i++) {
		w->name.text.n = n;
		text_char(&w->name.text, '#');
		text_unsigned(&w->name.text, i);
	}
	if (is_new < 0)
		out_file_note(&w->file, is_new);
}

static void key_part(struct text *t, uint32_t i, const struct view *part)
{
	if (i > 0)
		text_char(t, ',');
	format_view(t, part);
}

/* An object's key is one string: the text of the parts, separated by commas. */
static void put_key(struct out_json *w, const struct view_map *m, const struct view_row *r)
{
	struct text *key = &w->writer.scratch.text, *name = &w->name.text;
	uint32_t n = json_key_is_tuple(m, r) ? r->keys[0].type->n_members : m->n_keys;

	key->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct view part = r->keys[json_key_is_tuple(m, r) ? 0 : i];

		if (json_key_is_tuple(m, r))
			view_part(&r->keys[0], i, &part);
		key_part(key, i, &part);
	}
	name->n = 0;
	json_escape(name, key->bytes, key->n);
	make_unique(w);
	json_put_escaped_key(&w->writer.json, name->bytes, name->n);
}

static int json_map(struct out *o, const struct view_map *m)
{
	struct out_json *w = out_json(o);
	struct json *j = &w->writer.json;

	if (m->n_rows == 0)
		return w->file.error;
	json_begin(o, json_agg_line(m->rows[0].value.type));
	open_data(o);
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
	return end_data(o);
}

/* ---- tests --------------------------------------------------------------------------------- */

static int json_test(struct out *o, const struct view_test *v)
{
	struct json *j;

	if (v->stage != VIEW_TEST_RESULT || v->skipped)
		return out_json(o)->file.error;
	j = json_begin(o, v->is_bench ? "benchmark_result" : "test_result");
	open_data(o);
	json_open(j, v->name, '{');
	json_put_unsigned(j, v->is_bench ? "average" : "duration", v->ns);
	if (v->is_bench)
		json_put_unsigned(j, "iters", v->runs);
	if (!v->is_bench || !v->passed)
		json_put_bool(j, "passed", v->passed);
	if (!v->is_bench)
		json_put_string(j, "output", v->output);
	json_close(j, '}');
	return end_data(o);
}

/* ---- opening ------------------------------------------------------------------------------- */

static void json_release(struct out *o)
{
	text_grown_free(&out_json(o)->writer.scratch);
	text_grown_free(&out_json(o)->name);
}

struct out *json_new_writer(FILE *f, const struct json_form *form)
{
	static const struct out hooks = {
		.printf_event = json_printf_event,
		.row = json_row,
		.message = json_message,
		.value = json_value,
		.map = json_map,
		.span = json_span,
		.attached = json_attached,
		.lost = json_lost,
		.stats = json_stats,
		.test = json_test,
		.release = json_release,
	};
	struct out_json *w = out_file_new(sizeof(*w), f, NULL, &hooks);

	if (!w)
		return NULL;
	w->form = form;
	json_writer_init(&w->writer, &w->file.text);
	text_grown_init(&w->name);
	return &w->file.out;
}

struct out *out_json_new(FILE *f, const struct plan *plan, const char *word)
{
	return json_new_writer(f, &json_form);
}
