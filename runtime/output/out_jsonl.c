/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of -f jsonl: {"type": …, "time": …, "host": …, …}, as docs/jsonl.schema.json describes
 * the lines. Keys and stacks are arrays, each line has the time at which it was written and the
 * host, the first and the last say what ran, and maps have what is needed to add those of several
 * runs (docs/merging.md).
 */
#include "parser/lang/builtin.h"
#include "runtime/base/clock.h"
#include "runtime/output/out_json_impl.h"
#include "runtime/output/type_json.h"
#include <inttypes.h>

/* Of the lines of jsonl; it changes when a reader of older ones would misread them. */
enum { LINES_VERSION = 2 };
static const struct json_form jsonl_form = {
	.printed = "text",
	.value = "value",
	.text = "text",
	.result = "result",
	.file = "file",
	.column = "column",
	.end_column = "end_column",
	.attached = "attached",
	.lost = "lost",
	.what = "message",
	.start = "start_ns",
	.length = "duration_ns",
	.tracer = "tracer_ns",
};

/* ---- the run ------------------------------------------------------------------------------- */

static int jsonl_begin(struct out *o, const struct view_run *r)
{
	struct json *j;

	out_json(o)->run = *r;
	j = json_begin_at(o, "begin", r->start);
	json_put_unsigned(j, "version", LINES_VERSION);
#define RUN_TEXT(member, name) \
	if (*name)             \
		json_put_string(j, name, r->member);
#include "runtime/view/run_texts.def"
	if (r->scope && r->scope->pid)
		json_put_unsigned(j, "pid", r->scope->pid);
	if (r->resets)
		json_put_bool(j, "resets", true);
	return json_end(o);
}

static int jsonl_finish(struct out *o)
{
	uint64_t now = clock_ns(CLOCK_REALTIME), begin_ns = out_json(o)->run.start;
	uint64_t end_ns = out_json(o)->run.ended ?: now;
	struct json *j = json_begin_at(o, "end", now);

	json_put_seconds(j, "duration", end_ns > begin_ns ? end_ns - begin_ns : 0);
	json_put_unsigned(j, "lines", out_json(o)->lines);
	return json_end(o);
}

/* ---- maps ---------------------------------------------------------------------------------- */

static void put_keys(struct json_writer *w, const struct view_map *m, const struct view_row *r)
{
	if (json_key_is_tuple(m, r)) {
		json_put_value(w, "key", &r->keys[0]);
		return;
	}
	json_open(&w->json, "key", '[');
	for (uint32_t i = 0; i < m->n_keys; i++)
		json_put_value(w, NULL, &r->keys[i]);
	json_close(&w->json, ']');
}

/* The types of the parts of the key, as the rows have them. */
static void put_key_types(struct json *j, const struct view_map *m)
{
	const struct view_row *r = &m->rows[0];
	uint32_t n = json_key_is_tuple(m, r) ? r->keys[0].type->n_members : m->n_keys;

	json_open(j, "key_types", '[');
	for (uint32_t i = 0; i < n; i++)
		type_json_put(j, NULL,
			      json_key_is_tuple(m, r) ? r->keys[0].type->members[i].type
						      : r->keys[i].type);
	json_close(j, ']');
}

/* What is needed to add values to those of another run. */
static void put_types(struct json *j, const struct view_map *m)
{
	const struct type *t = m->rows[0].value.type;

	json_put_string(j, "aggregation",
			t->kind == TY_AGG ? builtin_of_agg(t->agg)->name : "none");
	if (m->n_keys)
		put_key_types(j, m);
	type_json_put(j, "value_type", t);
}

static void put_map_value(struct json_writer *w, const struct view *v)
{
	if (v->type->kind == TY_AGG)
		json_agg_lines(&w->json, "value", v);
	else
		json_put_value(w, "value", v);
}

static int jsonl_map(struct out *o, const struct view_map *m)
{
	struct out_json *w = out_json(o);
	struct json *j;

	if (m->n_rows == 0)
		return w->file.error;
	j = json_begin(o, "map");
	json_put_string(j, "name", m->name);
	json_put_string(j, "kind", json_agg_line(m->rows[0].value.type));
	put_types(j, m);
	json_put_string(j, "unit", m->is_time ? "ns" : NULL);
	json_open(j, "rows", '[');
	for (uint32_t i = 0; i < m->n_rows && w->file.error == 0; i++) {
		json_open(j, NULL, '{');
		if (m->n_keys)
			put_keys(&w->writer, m, &m->rows[i]);
		put_map_value(&w->writer, &m->rows[i].value);
		json_close(j, '}');
	}
	json_close(j, ']');
	return json_end(o);
}

/* ---- tests --------------------------------------------------------------------------------- */

static int jsonl_test(struct out *o, const struct view_test *v)
{
	struct json *j;

	if (v->stage != VIEW_TEST_RESULT)
		return out_json(o)->file.error;
	j = json_begin(o, v->is_bench ? "bench" : "test");
	json_put_string(j, "name", v->name);
	json_put_bool(j, "skipped", v->skipped);
	json_put_bool(j, "passed", v->passed);
	json_put_unsigned(j, "ns", v->ns);
	if (v->is_bench)
		json_put_unsigned(j, "runs", v->runs);
	json_put_string(j, "output", v->output);
	return json_end(o);
}

/* ---- opening ------------------------------------------------------------------------------- */

struct out *out_jsonl_new(FILE *f, const struct plan *plan, const char *word)
{
	struct out *o = json_new_writer(f, &jsonl_form);

	if (!o)
		return NULL;
	out_json(o)->writer.stacks_are_arrays = true;
	out_json(o)->writer.json.is_strict = true;
	o->begin = jsonl_begin;
	o->map = jsonl_map;
	o->test = jsonl_test;
	o->finish = jsonl_finish;
	return o;
}
