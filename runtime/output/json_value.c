/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as JSON: see json_value.h.
 */
#include "runtime/output/json_value.h"
#include "runtime/output/json_agg.h"
#include "runtime/output/json_text.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { SCRATCH_BYTES = 4096 };

/* Without memory the bytes are discarded, and the error is kept like one of a write. */
static void make_room(struct text *t)
{
	struct json_scratch *s =
		(struct json_scratch *)((char *)t - offsetof(struct json_scratch, text));
	char *grown = realloc(t->bytes, 2 * t->capacity);

	if (grown) {
		t->bytes = grown;
		t->capacity *= 2;
		return;
	}
	*s->error = *s->error ?: -ENOMEM;
	t->n = 0;
}

int json_scratch_init(struct json_scratch *s, bool is_quoted, int *error)
{
	*s = (struct json_scratch){.text = {.bytes = malloc(SCRATCH_BYTES),
					    .capacity = SCRATCH_BYTES,
					    .make_room = make_room,
					    .is_quoted = is_quoted},
				   .error = error};
	return s->text.bytes ? 0 : -ENOMEM;
}

void json_scratch_free(struct json_scratch *s)
{
	free(s->text.bytes);
}

/* Numbers that a double cannot hold are strings, because most readers use doubles. */
static bool fits_double(uint64_t magnitude)
{
	while (magnitude >> 53 && !(magnitude & 1))
		magnitude >>= 1;
	return magnitude >> 53 == 0;
}

static void put_integer(struct text *t, const struct view *v)
{
	bool is_negative = v->type->is_signed && (int64_t)v->integer < 0;
	bool is_number = fits_double(is_negative ? -v->integer : v->integer);

	if (!is_number)
		text_char(t, '"');
	if (v->type->is_signed)
		text_signed(t, (int64_t)v->integer);
	else
		text_unsigned(t, v->integer);
	if (!is_number)
		text_char(t, '"');
}

/* The text, quoted. */
static void put_as_text(const struct json_writer *w, const struct view *v)
{
	struct text *scratch = &w->scratch->text;

	scratch->n = 0;
	format_view(scratch, v);
	text_char(w->text, '"');
	json_put_escaped(w->text, scratch->bytes, scratch->n);
	text_char(w->text, '"');
}

static void put_hex(struct text *t, uint64_t x)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "\"0x%" PRIx64 "\"", x);
	text_string(t, hex);
}

static void put_note(struct text *t, const char *comma, const char *note)
{
	text_string(t, comma);
	text_string(t, "{\"note\": ");
	json_put_string(t, note);
	text_char(t, '}');
}

static void put_frame(struct text *t, const struct view_frame *f)
{
	text_string(t, "{\"address\": ");
	put_hex(t, f->ip);
	if (f->name) {
		text_string(t, ", \"name\": ");
		json_put_string(t, f->name);
		text_string(t, ", \"offset\": ");
		text_unsigned(t, f->offset);
	}
	if (f->module) {
		text_string(t, ", \"module\": ");
		json_put_string(t, f->module);
	}
	if (f->module && !f->name) {
		text_string(t, ", \"module_offset\": ");
		text_unsigned(t, f->offset);
	}
	if (f->file) {
		text_string(t, ", \"file\": ");
		json_put_string(t, f->file);
		text_string(t, ", \"line\": ");
		text_unsigned(t, f->line);
	}
	text_string(t, f->is_inlined ? ", \"inlined\": true}" : "}");
}

/* Frames, the innermost first; why there are none, or no more, is a note. */
static void put_stack(struct text *t, const struct view_stack *s)
{
	text_char(t, '[');
	for (uint32_t i = 0; i < s->n; i++) {
		text_string(t, i ? ", " : "");
		put_frame(t, &s->frames[i]);
	}
	if (s->is_lost)
		put_note(t, "", "stack lost");
	if (s->cut)
		put_note(t, s->n ? ", " : "", s->cut);
	text_char(t, ']');
}

/* A buffer: [1,-1] */
static void put_bytes(struct text *t, const struct view *v)
{
	text_char(t, '[');
	for (uint32_t i = 0; i < v->string.len; i++) {
		if (i)
			text_char(t, ',');
		text_signed(t, (int8_t)v->string.text[i]);
	}
	text_char(t, ']');
}

/* [1, "a"] for a tuple or an array, {"x": 1, "y": "a"} for a record. */
static void put_parts(const struct json_writer *w, const struct view *v)
{
	struct text *t = w->text;
	bool is_record = v->type->kind == TY_RECORD || v->type->kind == TY_STRUCT;
	uint32_t n = v->type->kind == TY_ARRAY ? type_elements(v->type) : v->type->n_members;
	struct view part;

	text_char(t, is_record ? '{' : '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			text_char(t, ',');
		if (is_record) {
			text_string(t, i ? " " : "");
			json_put_string(t, v->type->members[i].name);
			text_string(t, ": ");
		}
		view_part(v, i, &part);
		json_put_value(w, &part);
	}
	text_char(t, is_record ? '}' : ']');
}

void json_put_value(const struct json_writer *w, const struct view *v)
{
	struct text *t = w->text;

	switch (type_shape(v->type)) {
	case SHAPE_NONE: text_string(t, "null"); break;
	case SHAPE_BOOL: text_string(t, v->integer ? "true" : "false"); break;
	case SHAPE_AGG:
		if (!json_agg_value(t, v))
			put_integer(t, v);
		break;
	case SHAPE_ADDRESS:
	case SHAPE_INT: put_integer(t, v); break;
	case SHAPE_BUFFER: put_bytes(t, v); break;
	case SHAPE_STACK:
		if (w->stacks_are_arrays)
			put_stack(t, &v->stack);
		else
			put_as_text(w, v);
		break;
	case SHAPE_STRING:
	case SHAPE_DEFERRED: put_as_text(w, v); break;
	case SHAPE_PARTS: put_parts(w, v); break;
	}
}
