/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of recordings, and of lines of -f jsonl: see value_json.h. In a recording nothing is lost:
 * a string that is no UTF-8 is an object with its bytes in hex, and so is one that was cut.
 */
#include "runtime/recording/value_json.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "runtime/view/agg.h"
#include "runtime/view/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* ---- writing ----------------------------------------------------------------------------- */

static void put_hex(struct json *j, const char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	json_open(j, "hex", '"');
	for (size_t i = 0; i < n; i++) {
		text_char(j->text, digits[(unsigned char)bytes[i] >> 4]);
		text_char(j->text, digits[bytes[i] & 15]);
	}
	json_close(j, '"');
}

static void put_string(struct json *j, const char *key, const struct view *v)
{
	bool is_text = type_shape(v->type) != SHAPE_BUFFER &&
		       !memchr(v->string.text, 0, v->string.len) &&
		       utf8_is_valid(v->string.text, v->string.len);

	if (is_text && !v->string.trailer) {
		json_put_bytes(j, key, v->string.text, v->string.len);
		return;
	}
	json_open(j, key, '{');
	if (is_text)
		json_put_bytes(j, "text", v->string.text, v->string.len);
	else
		put_hex(j, v->string.text, v->string.len);
	json_put_string(j, "cut", v->string.trailer);
	json_close(j, '}');
}

/* SQLite's integers are signed. */
static void put_integer(struct json *j, const char *key, const struct view *v)
{
	if (v->type->is_signed || v->integer <= INT64_MAX)
		json_put_signed(j, key, (int64_t)v->integer);
	else
		json_put_format(j, key, "\"%" PRIu64 "\"", v->integer);
}

/* {"bucket": 5, "min": 8, "max": 15, "count": 3}; of tseries the bucket is an interval. */
static void put_bucket(struct json *j, const struct type *type, const struct view_bucket *b)
{
	uint32_t i = (uint32_t)b->index;
	bool is_series = agg_is_series(type);

	json_open(j, NULL, '{');
	json_put_signed(j, "bucket", (int64_t)b->index);
	if (!is_series && agg_bucket_begin(type, i) != INT64_MIN)
		json_put_signed(j, "min", agg_bucket_begin(type, i));
	if (!is_series && i + 1 < agg_buckets(type))
		json_put_signed(j, "max", agg_bucket_begin(type, i + 1) - 1);
	json_put_signed(j, is_series ? "value" : "count", (int64_t)b->count);
	json_close(j, '}');
}

static void put_buckets(struct json *j, const struct view *v)
{
	json_open(j, "buckets", '[');
	for (uint32_t i = 0; i < v->histogram.n; i++)
		put_bucket(j, v->type, &v->histogram.buckets[i]);
	json_close(j, ']');
	json_put_signed(j, "total", (int64_t)v->histogram.total);
	json_put_signed(j, "divisor", (int64_t)v->histogram.divisor);
	if (!agg_is_series(v->type))
		json_put_signed(j, "sum", (int64_t)v->histogram.sum);
	if (agg_is_series(v->type))
		json_put_signed(j, "last", (int64_t)v->histogram.last);
}

/* Of min() and max(): there was no value. */
static bool is_nothing(const struct view *v)
{
	return (agg_rows[v->type->agg].layout == AL_MIN ||
		agg_rows[v->type->agg].layout == AL_MAX) &&
	       !v->stats.count;
}

static void put_agg(struct json *j, const char *key, const struct view *v)
{
	if (is_nothing(v)) {
		json_put_format(j, key, "null");
		return;
	}
	if (value_is_integer(v)) {
		put_integer(j, key, v);
		return;
	}
	json_open(j, key, '{');
	if (agg_has_buckets(v->type)) {
		put_buckets(j, v);
	} else {
		json_put_signed(j, "count", (int64_t)v->stats.count);
		json_put_signed(j, "average", (int64_t)v->stats.average);
		json_put_signed(j, "total", (int64_t)v->stats.total);
	}
	json_close(j, '}');
}

static void put_parts(struct json *j, const char *key, const struct view *v,
		      struct stack_numbers *stacks)
{
	bool is_record = type_has_names(v->type);
	struct view part;

	json_open(j, key, is_record ? '{' : '[');
	for (uint32_t i = 0; i < type_parts(v->type); i++) {
		const char *name = is_record ? v->type->members[i].name : NULL;

		view_part(v, i, &part);
		value_json_put(j, is_record && !name ? "" : name, &part, stacks);
	}
	json_close(j, is_record ? '}' : ']');
}

bool value_is_integer(const struct view *v)
{
	const struct type *t = v->type;

	if (t->kind == TY_AGG)
		return agg_rows[t->agg].layout != AL_AVERAGE && !agg_has_buckets(t) &&
		       !is_nothing(v);
	return t->kind == TY_INT || t->kind == TY_POINTER;
}

void value_json_put(struct json *j, const char *key, const struct view *v,
		    struct stack_numbers *stacks)
{
	char real[FORMAT_REAL_TEXT];

	switch (type_shape(v->type)) {
	case SHAPE_NONE: json_put_format(j, key, "null"); break;
	case SHAPE_BOOL: json_put_bool(j, key, v->integer); break;
	case SHAPE_FLOAT: json_put_string(j, key, format_real(v, real)); break;
	case SHAPE_INT:
	case SHAPE_ADDRESS: put_integer(j, key, v); break;
	case SHAPE_AGG: put_agg(j, key, v); break;
	case SHAPE_STACK: json_put_unsigned(j, key, stacks->number(stacks, &v->stack)); break;
	case SHAPE_BUFFER:
	case SHAPE_DEFERRED:
	case SHAPE_STRING: put_string(j, key, v); break;
	case SHAPE_PARTS: put_parts(j, key, v, stacks); break;
	}
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_hex(struct arena *a, const char *hex, struct view *out)
{
	size_t n = strlen(hex) / 2;
	char *bytes = arena_alloc(a, n + 1);

	for (size_t i = 0; i < n; i++) {
		int high = text_hex_digit(hex[2 * i]), low = text_hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (char)(high << 4 | low);
	}
	out->string.text = bytes;
	out->string.len = (uint32_t)n;
	return true;
}

/* The bytes of a buffer in a line, as signed numbers. */
static bool read_bytes(struct arena *a, const json_t *j, struct view *out)
{
	char *bytes = arena_alloc(a, json_array_size(j) + 1);
	uint64_t x;

	for (size_t i = 0; i < json_array_size(j); i++) {
		if (!json_number(json_array_get(j, i), &x))
			return false;
		bytes[i] = (char)x;
	}
	out->string.text = bytes;
	out->string.len = (uint32_t)json_array_size(j);
	return true;
}

bool value_json_read_string(struct arena *a, const json_t *j, struct view *out)
{
	const char *hex = json_string_value(json_object_get(j, "hex"));
	const json_t *text = json_is_object(j) ? json_object_get(j, "text") : j;

	if (json_is_array(j))
		return read_bytes(a, j, out);
	out->string.trailer = json_string_value(json_object_get(j, "cut"));
	if (hex)
		return read_hex(a, hex, out);
	out->string.text = json_string_value(text);
	out->string.len = (uint32_t)json_string_length(text);
	return out->string.text != NULL;
}

/* "2026-03-01 12:00:00.500000000", UTC; of a line */
static bool read_interval(const struct type *type, const char *text, uint64_t *index)
{
	struct tm tm = {0};
	const char *rest = text ? strptime(text, "%Y-%m-%d %H:%M:%S.", &tm) : NULL;

	if (!rest || strlen(rest) != 9)
		return false;
	*index = ((uint64_t)timegm(&tm) * 1000000000 + strtoull(rest, NULL, 10)) /
		 (uint64_t)type->scale[0];
	return true;
}

/* A line has the smallest value of a bucket in place of its number; the lowest bucket has none. */
static bool read_index(const struct type *type, const json_t *j, uint64_t *index)
{
	const json_t *number = json_object_get(j, "bucket"), *min = json_object_get(j, "min");
	uint64_t value = (uint64_t)INT64_MIN;

	if (number)
		return json_number(number, index);
	if (agg_is_series(type))
		return read_interval(type, json_string_value(json_object_get(j, "interval_start")),
				     index);
	if (min && !json_number(min, &value))
		return false;
	*index = agg_bucket_of(type, (int64_t)value);
	return true;
}

static bool read_bucket(const struct type *type, const json_t *j, struct view_bucket *out)
{
	const char *value = agg_is_series(type) ? "value" : "count";

	return read_index(type, j, &out->index) &&
	       json_number(json_object_get(j, value), &out->count) &&
	       (agg_is_series(type) ? out->index < (uint64_t)INT64_MAX / (uint64_t)type->scale[0]
				    : out->index < agg_buckets(type));
}

/* Buckets are in order; a series has at most as many intervals as its type says. */
static bool read_buckets(struct arena *a, const json_t *j, struct view *out)
{
	const json_t *list = json_is_array(j) ? j : json_object_get(j, "buckets");
	struct view_bucket *buckets = NULL, b;
	uint32_t n = 0;

	out->histogram.divisor = 1; /* in a line the counts have been divided */
	if (!list || !json_is_array(list) ||
	    (json_object_get(j, "divisor") &&
	     !json_number(json_object_get(j, "divisor"), &out->histogram.divisor)) ||
	    !out->histogram.divisor)
		return false;
	for (uint32_t i = 0; i < json_array_size(list); i++) {
		if (!read_bucket(out->type, json_array_get(list, i), &b) ||
		    (n && b.index <= buckets[n - 1].index))
			return false;
		out->histogram.total += b.count;
		arena_push(a, buckets, n, b);
	}
	out->histogram.buckets = buckets;
	out->histogram.n = n;
	json_number(json_object_get(j, "sum"), &out->histogram.sum); /* since version 3 */
	out->histogram.last = n ? buckets[n - 1].index : 0;
	if (!agg_is_series(out->type) || !n)
		return true;
	return (json_is_array(j) ||
		json_number(json_object_get(j, "last"), &out->histogram.last)) &&
	       out->histogram.last >= buckets[n - 1].index &&
	       out->histogram.last - buckets[0].index < (uint64_t)out->type->scale[1];
}

static bool read_agg(struct arena *a, const json_t *j, struct view *out)
{
	if (agg_has_buckets(out->type))
		return read_buckets(a, j, out);
	if (json_is_null(j)) /* min() and max() of nothing */
		return true;
	if (!json_is_object(j)) {
		/* an average, before version 3: of how many values is not known */
		out->stats.count = agg_rows[out->type->agg].layout != AL_AVERAGE;
		return json_number(j, &out->stats.average);
	}
	return json_number(json_object_get(j, "count"), &out->stats.count) &&
	       json_number(json_object_get(j, "average"), &out->stats.average) &&
	       json_number(json_object_get(j, "total"), &out->stats.total);
}

static bool read_frame(const json_t *j, struct view_frame *f)
{
	const char *address = json_string_value(json_object_get(j, "address"));
	uint64_t line = 0;

	*f = (struct view_frame){
		.name = json_string_value(json_object_get(j, "name")),
		.module = json_string_value(json_object_get(j, "module")),
		.file = json_string_value(json_object_get(j, "file")),
		.is_inlined = json_is_true(json_object_get(j, "inlined")),
	};
	if (!address && !view_frame_is_run(f))
		return false;
	f->ip = address ? strtoull(address, NULL, 16) : 0;
	json_number(json_object_get(j, f->name ? "offset" : "module_offset"), &f->offset);
	json_number(json_object_get(j, "line"), &line);
	f->line = (uint32_t)line;
	return true;
}

/* The frames of a line. Notes after the last say why there are no more. */
static bool read_frames(struct arena *a, const json_t *j, struct view_stack *out)
{
	struct view_frame *frames = NULL, f;

	for (uint32_t i = 0; i < json_array_size(j); i++) {
		const char *what = json_string_value(json_object_get(json_array_get(j, i), "note"));

		if (what && !out->n && strcmp(what, VIEW_STACK_LOST) == 0) {
			out->is_lost = true;
			continue;
		}
		if (what && i + 1 == json_array_size(j)) {
			out->cut = what;
			break;
		}
		if (what)
			f = (struct view_frame){.ip = SONDE_STACK_GAP, .name = what};
		else if (!read_frame(json_array_get(j, i), &f))
			return false;
		arena_push(a, frames, out->n, f);
	}
	out->frames = frames;
	return true;
}

static bool read_stack(struct arena *a, const json_t *j, struct stack_lookup *stacks,
		       struct view *out)
{
	uint64_t number;

	out->stack = (struct view_stack){.is_user = out->type->kind == TY_USTACK};
	if (json_is_array(j))
		return read_frames(a, j, &out->stack);
	if (!stacks || !json_number(j, &number))
		return false;
	return !number || stacks->find(stacks, number, &out->stack);
}

static bool read_parts(struct arena *a, const json_t *j, struct stack_lookup *stacks,
		       struct view *out)
{
	const struct type *t = out->type;
	bool is_record = type_has_names(t);
	uint32_t n = type_parts(t);
	struct view *parts;

	if ((is_record ? json_object_size(j) : json_array_size(j)) != n)
		return false;
	parts = arena_alloc(a, (n + 1) * sizeof(*parts));
	for (uint32_t i = 0; i < n; i++) {
		const struct type *part = t->kind == TY_ARRAY ? t->to : t->members[i].type;
		const json_t *item =
			is_record ? json_object_get(j, t->members[i].name) : json_array_get(j, i);

		if (!item || !value_json_read(a, part, item, stacks, &parts[i]))
			return false;
	}
	out->compound.parts = parts;
	return true;
}

static bool read_real(const json_t *j, struct view *out)
{
	const char *text = json_string_value(j);

	if (text || json_is_number(j))
		view_set_real(out, text ? strtold(text, NULL) : json_number_value(j));
	return text || json_is_number(j);
}

bool value_json_read(struct arena *a, const struct type *type, const json_t *j,
		     struct stack_lookup *stacks, struct view *out)
{
	*out = (struct view){.type = type};
	switch (type_shape(type)) {
	case SHAPE_NONE: return true;
	case SHAPE_BOOL: out->integer = json_is_true(j); return true;
	case SHAPE_FLOAT: return read_real(j, out);
	case SHAPE_INT:
	case SHAPE_ADDRESS: return json_number(j, &out->integer);
	case SHAPE_AGG: return read_agg(a, j, out);
	case SHAPE_STACK: return read_stack(a, j, stacks, out);
	case SHAPE_BUFFER:
	case SHAPE_DEFERRED:
	case SHAPE_STRING: return value_json_read_string(a, j, out);
	case SHAPE_PARTS: return read_parts(a, j, stacks, out);
	}
	return false;
}
