/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON writer: one object per line, {"type": …, "data": …}. Reads views; out_file.c has the
 * buffer and the descriptor. Text of format.c goes to a scratch buffer first and is then quoted
 * (json_text.c).
 */
#include "runtime/output/json_agg.h"
#include "runtime/output/out.h"
#include "runtime/output/json_names.h"
#include "runtime/output/json_text.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"
#include <errno.h>
#include <stdlib.h>

struct out_json {
	struct out_file file; /* first */
	struct json_scratch scratch;
	struct json_scratch name; /* of a row, escaped */
	struct json_writer writer;
	struct json_names names;
};

static struct out_json *out_json(struct out *o)
{
	return (struct out_json *)o;
}

static void key_part(struct out_json *w, uint32_t i, const struct view *part)
{
	if (i > 0)
		text_char(&w->scratch.text, ',');
	format_view(&w->scratch.text, part);
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
	struct view part;

	w->scratch.text.n = 0;
	for (uint32_t i = 0; is_tuple && i < r->keys[0].type->n_members; i++) {
		view_part(&r->keys[0], i, &part);
		key_part(w, i, &part);
	}
	for (uint32_t i = 0; !is_tuple && i < m->n_keys; i++)
		key_part(w, i, &r->keys[i]);
	w->name.text.n = 0;
	json_put_escaped(&w->name.text, w->scratch.text.bytes, w->scratch.text.n);
	make_unique(w);
	text_char(&w->file.text, '"');
	text_put(&w->file.text, w->name.text.bytes, w->name.text.n);
	text_string(&w->file.text, "\": ");
}

/* ---- lines --------------------------------------------------------------------------------- */

static void begin(struct out_json *w, const char *type)
{
	text_string(&w->file.text, "{\"type\": \"");
	text_string(&w->file.text, type);
	text_string(&w->file.text, "\", \"data\": ");
}

static int end(struct out_json *w)
{
	text_string(&w->file.text, "}\n");
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
	w->scratch.text.n = 0;
	format_printf(&w->scratch.text, e, fields);
	text_char(&w->file.text, '"');
	json_put_escaped(&w->file.text, w->scratch.text.bytes, w->scratch.text.n);
	text_char(&w->file.text, '"');
	return end(w);
}

static int json_message(struct out *o, const struct view_message *m)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	text_string(t, "{\"type\": ");
	json_put_string(t, m->helper ? "helper_error" : line_types[m->kind]);
	text_string(t, ", \"msg\": \"");
	json_put_escaped(t, m->text, m->len);
	if (m->helper) {
		text_string(t, "\", \"helper\": \"");
		json_put_escaped(t, m->helper, strlen(m->helper));
		text_string(t, "\", \"retcode\": ");
		text_signed(t, m->result);
		text_string(t, ", \"filename\": ");
	} else {
		text_string(t, "\", \"filename\": ");
	}
	json_put_string(t, m->file);
	text_string(t, ", \"line\": ");
	text_unsigned(t, m->line);
	text_string(t, ", \"col\": ");
	text_unsigned(t, m->first);
	return end(w);
}

static int json_value(struct out *o, const struct view *v)
{
	struct out_json *w = out_json(o);

	begin(w, "value");
	json_put_value(&w->writer, v);
	return end(w);
}

static int json_map(struct out *o, const struct view_map *m)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	if (m->n_rows == 0)
		return w->file.error;
	begin(w, json_agg_line(m->rows[0].value.type));
	text_char(t, '{');
	json_put_string(t, m->name);
	text_string(t, m->n_keys ? ": {" : ": ");
	for (uint32_t i = 0; i < m->n_rows && w->file.error == 0; i++) {
		if (i > 0)
			text_string(t, ", ");
		if (m->n_keys)
			put_key(w, m, &m->rows[i]);
		json_put_value(&w->writer, &m->rows[i].value);
	}
	hash_free(&w->names);
	text_string(t, m->n_keys ? "}}" : "}");
	return end(w);
}

static int json_attached(struct out *o, uint32_t n_probes)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	text_string(t, "{\"type\": \"attached_probes\", \"count\": ");
	text_unsigned(t, n_probes);
	text_string(t, ", \"data\": {\"probes\": ");
	text_unsigned(t, n_probes);
	text_char(t, '}');
	return end(w);
}

static void put_number(struct text *t, const char *name, uint64_t value)
{
	text_string(t, name);
	text_unsigned(t, value);
}

static int json_stats(struct out *o, const struct view_stats *s)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	put_number(t, "{\"type\": \"stats\", \"data\": {\"elapsed_ns\": ", s->elapsed_ns);
	put_number(t, ", \"sonde_ns\": ", s->self_ns);
	text_string(t, s->is_all ? ", \"whole_run\": true" : ", \"whole_run\": false");
	text_string(t, ", \"probes\": [");
	for (uint32_t i = 0; i < s->n; i++) {
		const struct view_stats_row *r = &s->rows[i];

		text_string(t, i ? ", {\"probe\": " : "{\"probe\": ");
		json_put_string(t, r->name);
		put_number(t, ", \"hits\": ", r->hits);
		put_number(t, ", \"runs\": ", r->runs);
		put_number(t, ", \"ns\": ", r->ns);
		put_number(t, ", \"missed\": ", r->missed);
		put_number(t, ", \"lost\": ", r->lost);
		text_char(t, '}');
	}
	text_string(t, "]}");
	return end(w);
}

static int json_lost(struct out *o, const struct view_loss *l)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	text_string(t, "{\"type\": \"lost_events\", \"count\": ");
	text_unsigned(t, l->n);
	text_string(t, ", \"data\": {\"events\": ");
	text_unsigned(t, l->n);
	text_string(t, ", \"probe\": ");
	json_put_string(t, l->probe);
	text_string(t, ", \"cause\": ");
	json_put_string(t, l->cause);
	text_string(t, ", \"msg\": ");
	json_put_string(t, l->what);
	if (l->help) {
		text_string(t, ", \"hint\": ");
		json_put_string(t, l->help);
	}
	text_char(t, '}');
	return end(w);
}

static void put_duration(struct text *t, const struct view_test *v)
{
	text_string(t, v->is_bench ? ": {\"average\": " : ": {\"duration\": ");
	text_unsigned(t, v->ns);
	if (v->is_bench) {
		text_string(t, ", \"iters\": ");
		text_unsigned(t, v->runs);
	}
	if (v->is_bench && v->passed)
		return;
	text_string(t, v->passed ? ", \"passed\": true" : ", \"passed\": false");
}

static int json_test(struct out *o, const struct view_test *v)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	if (v->stage != VIEW_TEST_RESULT || v->skipped)
		return w->file.error;
	begin(w, v->is_bench ? "benchmark_result" : "test_result");
	text_char(t, '{');
	json_put_string(t, v->name);
	put_duration(t, v);
	if (!v->is_bench) {
		text_string(t, ", \"output\": ");
		json_put_string(t, v->output);
	}
	text_string(t, "}}");
	return end(w);
}

static void put_member(struct text *t, const char *name, uint64_t n)
{
	text_string(t, ", \"");
	text_string(t, name);
	text_string(t, "\": ");
	text_unsigned(t, n);
}

static int json_span(struct out *o, const struct view_span *s)
{
	struct out_json *w = out_json(o);
	struct text *t = &w->file.text;

	begin(w, "span");
	text_string(t, "{\"name\": ");
	json_put_string(t, s->name);
	put_member(t, "pid", s->pid);
	put_member(t, "tid", s->tid);
	text_string(t, ", \"comm\": ");
	json_put_string(t, s->comm);
	put_member(t, "start", s->start);
	if (s->is_left)
		text_string(t, ", \"duration\": null, \"left\": true");
	else
		put_member(t, "duration", s->length);
	if (s->tracer)
		put_member(t, "tracer", s->tracer);
	text_string(t, s->is_cut ? ", \"cut\": true" : ", \"cut\": false");
	text_string(t, s->is_open ? ", \"open\": true}" : ", \"open\": false}");
	return end(w);
}

static int json_end(struct out *o)
{
	return out_json(o)->file.error;
}

static void json_close(struct out *o)
{
	if (!o)
		return;
	out_finish(o);
	json_scratch_free(&out_json(o)->scratch);
	json_scratch_free(&out_json(o)->name);
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
		.close = json_close,
	};
	w->writer = (struct json_writer){.text = &w->file.text, .scratch = &w->scratch};
	if (json_scratch_init(&w->scratch, true, &w->file.error) ||
	    json_scratch_init(&w->name, false, &w->file.error) || out_file_init(&w->file, f)) {
		json_scratch_free(&w->scratch);
		json_scratch_free(&w->name);
		free(w);
		return NULL;
	}
	return &w->file.out;
}
