/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as JSON: see json_value.h.
 */
#include "runtime/output/json_value.h"
#include "runtime/view/format.h"
#include <inttypes.h>
#include <math.h>

void json_writer_init(struct json_writer *w, struct text *text)
{
	*w = (struct json_writer){.json = {.text = text}};
	text_grown_init(&w->scratch);
	w->scratch.text.is_quoted = true;
}

/* Numbers that a double cannot hold are strings, because most readers use doubles. */
static bool fits_double(uint64_t magnitude)
{
	while (magnitude >> 53 && !(magnitude & 1))
		magnitude >>= 1;
	return magnitude >> 53 == 0;
}

void json_put_integer(struct json *j, const char *key, const struct view *v)
{
	bool is_signed = v->type->is_signed;
	bool is_negative = is_signed && (int64_t)v->integer < 0;

	if (!fits_double(is_negative ? -v->integer : v->integer) ||
	    (j->is_strict && !is_signed && v->integer > INT64_MAX))
		json_put_format(j, key, is_signed ? "\"%" PRId64 "\"" : "\"%" PRIu64 "\"",
				v->integer);
	else if (is_signed)
		json_put_signed(j, key, (int64_t)v->integer);
	else
		json_put_unsigned(j, key, v->integer);
}

/* The text, quoted. */
static void put_as_text(struct json_writer *w, const char *key, const struct view *v)
{
	w->scratch.text.n = 0;
	format_view(&w->scratch.text, v);
	json_put_bytes(&w->json, key, w->scratch.text.bytes, w->scratch.text.n);
}

void json_put_printf(struct json_writer *w, const char *key, const struct plan_event *e,
		     const struct view *fields)
{
	w->scratch.text.n = 0;
	format_printf(&w->scratch.text, e, fields);
	json_put_bytes(&w->json, key, w->scratch.text.bytes, w->scratch.text.n);
}

static void put_note(struct json *j, const char *note)
{
	json_open(j, NULL, '{');
	json_put_string(j, "note", note);
	json_close(j, '}');
}

static void put_frame(struct json *j, const struct view_frame *f)
{
	bool is_run = view_frame_is_run(f);

	json_open(j, NULL, '{');
	if (!is_run)
		json_put_format(j, "address", "\"0x%" PRIx64 "\"", f->ip);
	json_put_string(j, "name", f->name);
	if (f->name && !is_run)
		json_put_unsigned(j, "offset", f->offset);
	json_put_string(j, "module", f->module);
	if (f->module && !f->name)
		json_put_unsigned(j, "module_offset", f->offset);
	json_put_string(j, "file", f->file);
	if (f->file && (f->line || !is_run))
		json_put_unsigned(j, "line", f->line);
	if (f->is_inlined)
		json_put_bool(j, "inlined", true);
	json_close(j, '}');
}

/* Frames, the innermost first; that some are left out, and why there are none, or no more, is a
 * note. */
static void put_stack(struct json *j, const char *key, const struct view_stack *s)
{
	json_open(j, key, '[');
	for (uint32_t i = 0; i < s->n; i++)
		if (view_frame_is_gap(&s->frames[i]))
			put_note(j, s->frames[i].name);
		else
			put_frame(j, &s->frames[i]);
	if (s->is_lost)
		put_note(j, VIEW_STACK_LOST);
	if (s->cut)
		put_note(j, s->cut);
	json_close(j, ']');
}

/* The names of functions, the innermost first. */
static void put_names(struct json_writer *w, const char *key, const struct view_stack *s)
{
	struct text *name = &w->scratch.text;

	json_open(&w->json, key, '[');
	for (uint32_t i = 0; i < s->n; i++) {
		name->n = 0;
		format_frame_name(name, &s->frames[i]);
		json_put_bytes(&w->json, NULL, name->bytes, name->n);
	}
	json_put_string(&w->json, NULL, s->is_lost ? "[" VIEW_STACK_LOST "]" : s->cut);
	json_close(&w->json, ']');
}

/* A buffer: [1,-1] */
static void put_bytes(struct json *j, const struct view *v)
{
	for (uint32_t i = 0; i < v->string.len; i++)
		json_put_signed(j, NULL, (int8_t)v->string.text[i]);
}

static void put_parts(struct json_writer *w, const struct view *v, bool is_record)
{
	struct view part;

	for (uint32_t i = 0; i < type_parts(v->type); i++) {
		view_part(v, i, &part);
		json_put_value(w, is_record ? v->type->members[i].name : NULL, &part);
	}
}

/* [1,"a"] for a buffer, tuple or array, {"x": 1, "y": "a"} for a record. */
static void put_compound(struct json_writer *w, const char *key, const struct view *v)
{
	bool is_record = type_has_names(v->type);
	bool is_within_compact = w->json.is_compact;

	json_open(&w->json, key, is_record ? '{' : '[');
	w->json.is_compact = !is_record;
	if (type_shape(v->type) == SHAPE_BUFFER)
		put_bytes(&w->json, v);
	else
		put_parts(w, v, is_record);
	json_close(&w->json, is_record ? '}' : ']');
	w->json.is_compact = is_within_compact;
}

/* JSON has no infinities, and nothing that is not a number. */
static void put_real(struct json *j, const char *key, const struct view *v)
{
	char text[FORMAT_REAL_TEXT];

	if (isfinite(view_real(v)))
		json_put_format(j, key, "%s", format_real(v, text));
	else
		json_put_string(j, key, format_real(v, text));
}

void json_put_value(struct json_writer *w, const char *key, const struct view *v)
{
	struct json *j = &w->json;

	switch (type_shape(v->type)) {
	case SHAPE_NONE: json_put_format(j, key, "null"); break;
	case SHAPE_BOOL: json_put_bool(j, key, v->integer); break;
	case SHAPE_AGG: json_agg_value(j, key, v); break;
	case SHAPE_FLOAT: put_real(j, key, v); break;
	case SHAPE_ADDRESS:
	case SHAPE_INT: json_put_integer(j, key, v); break;
	case SHAPE_STACK:
		if (w->stacks_are_names)
			put_names(w, key, &v->stack);
		else if (w->stacks_are_arrays)
			put_stack(j, key, &v->stack);
		else
			put_as_text(w, key, v);
		break;
	case SHAPE_STRING:
	case SHAPE_DEFERRED: put_as_text(w, key, v); break;
	case SHAPE_BUFFER:
	case SHAPE_PARTS: put_compound(w, key, v); break;
	}
}

void json_put_row(struct json_writer *w, bool has_table, const char *key,
		  const struct plan_event *e, const struct view *fields)
{
	char name[PLAN_TABLE_NAME];

	if (has_table)
		json_put_string(&w->json, "table", plan_table_name(e->table, name));
	json_open(&w->json, key, '{');
	for (uint32_t i = 0; i < e->n_pieces; i++) {
		json_put_escaped_key(&w->json, e->pieces[i].text, e->pieces[i].text_len);
		json_put_value(w, NULL, &fields[i]);
	}
	json_close(&w->json, '}');
}

void json_put_call(struct json_writer *w, const char *key, const struct view_span *s)
{
	struct json *j = &w->json;

	if (s->arguments)
		json_put_string(j, "arguments", s->arguments);
	if (s->result)
		json_put_string(j, "result", s->result);
	if (!s->n_values)
		return;
	if (key)
		json_open(j, key, '{');
	for (uint32_t i = 0; i < s->n_values; i++) {
		json_put_escaped_key(j, s->pieces[i].text, s->pieces[i].text_len);
		json_put_value(w, NULL, &s->values[i]);
	}
	if (key)
		json_close(j, '}');
}
