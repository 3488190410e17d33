/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of a recording: see type_json.h. A type is an object of its kind, its size and what its
 * kind needs besides: {"kind": "int", "size": 4, "signed": true}.
 */
#include "runtime/recording/type_json.h"
#include "runtime/output/out.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/agg.h"
#include "parser/lang/c_type.h"
#include "runtime/output/json_text.h"
#include "runtime/recording/schema.h"

enum { SERIES_INTERVALS = 1000000, LINEAR_STEPS = 1000, LOG_K = 5, TYPE_DEPTH = 32 };

static const unsigned int n_aggs = sizeof(agg_rows) / sizeof(*agg_rows);

/* ---- writing ----------------------------------------------------------------------------- */

static void put_number(struct text *t, const char *name, int64_t x)
{
	text_string(t, ", \"");
	text_string(t, name);
	text_string(t, "\": ");
	text_signed(t, x);
}

static void put_enum(struct text *t, const struct type_enum *e)
{
	text_string(t, ", \"enum\": [");
	for (uint32_t i = 0; i < e->n_values; i++) {
		text_string(t, i ? ", [" : "[");
		json_put_string(t, e->values[i].name);
		text_string(t, ", ");
		text_signed(t, e->values[i].value);
		text_char(t, ']');
	}
	text_char(t, ']');
}

static void put_members(struct text *t, const struct type *type)
{
	text_string(t, ", \"members\": [");
	for (uint32_t i = 0; i < type->n_members; i++) {
		const char *name = type->members[i].name;

		text_string(t, i ? ", [" : "[");
		json_put_string(t, name ? name : "");
		text_string(t, ", ");
		type_json_put(t, type->members[i].type);
		text_char(t, ']');
	}
	text_char(t, ']');
}

static void put_agg(struct text *t, const struct type *type)
{
	text_string(t, ", \"of\": ");
	json_put_string(t, agg_rows[type->agg].name_unsigned);
	text_string(t, ", \"scale\": [");
	for (int i = 0; i < 3; i++) {
		text_string(t, i ? ", " : "");
		text_signed(t, type->scale[i]);
	}
	text_char(t, ']');
}

void type_json_put(struct text *t, const struct type *type)
{
	text_string(t, "{\"kind\": \"");
	text_string(t, type_kinds[type->kind].word);
	text_char(t, '"');
	put_number(t, "size", type->size);
	if (type->is_signed)
		text_string(t, ", \"signed\": true");
	if (type->kind == TY_INT && type->enumeration)
		put_enum(t, type->enumeration);
	if (type->kind == TY_AGG)
		put_agg(t, type);
	if (type->kind == TY_KSTACK || type->kind == TY_USTACK)
		put_number(t, "form", type->form);
	if (type->n_members)
		put_members(t, type);
	if (type->kind == TY_ARRAY) {
		put_number(t, "n", type_elements(type));
		text_string(t, ", \"to\": ");
		type_json_put(t, type->to);
	}
	text_char(t, '}');
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_type(struct arena *a, const struct json *j, struct type *out, uint32_t depth);

static bool small(const struct json *j, const char *name, uint64_t most, uint32_t *out)
{
	uint64_t x;

	if (!json_number(json_member(j, name), &x) || x > most)
		return false;
	*out = (uint32_t)x;
	return true;
}

static bool read_enum(struct arena *a, const struct json *list, struct type *out)
{
	struct type_enum *e;
	uint64_t value;

	if (!list)
		return true;
	if (list->kind != JSON_LIST)
		return false;
	e = enum_new(a, NULL, out->size, out->is_signed);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct json *pair = &list->items[i];

		if (pair->kind != JSON_LIST || pair->n != 2 || !json_text(&pair->items[0]) ||
		    !json_number(&pair->items[1], &value))
			return false;
		enum_add(a, e, json_text(&pair->items[0]), (int64_t)value);
	}
	out->enumeration = e;
	return true;
}

static bool is_scale(const struct type *t)
{
	const int64_t *s = t->scale;

	switch (agg_rows[t->agg].layout) {
	case AL_LOG_BUCKETS:
	case AL_SIGNED_BUCKETS: return s[0] >= 0 && s[0] <= LOG_K;
	case AL_LINEAR_BUCKETS:
		return s[0] >= 0 && s[2] > 0 && s[1] >= s[0] &&
		       (s[1] - s[0]) / s[2] <= LINEAR_STEPS;
	case AL_SERIES:
		return s[0] > 0 && s[1] > 0 && s[1] <= SERIES_INTERVALS && s[2] >= SERIES_LAST &&
		       s[2] <= SERIES_SUM;
	case AL_SUM:
	case AL_MIN:
	case AL_MAX:
	case AL_AVERAGE: break;
	}
	return true;
}

static bool read_agg(const struct json *j, struct type *out)
{
	const char *name = json_text(json_member(j, "of"));
	const struct json *scale = json_member(j, "scale");
	uint64_t x;

	for (out->agg = 1; name && out->agg < n_aggs; out->agg++)
		if (strcmp(agg_rows[out->agg].name_unsigned, name) == 0)
			break;
	if (!name || out->agg == n_aggs || !scale || scale->kind != JSON_LIST || scale->n != 3)
		return false;
	for (uint32_t i = 0; i < 3; i++) {
		if (!json_number(&scale->items[i], &x))
			return false;
		out->scale[i] = (int64_t)x;
	}
	return is_scale(out);
}

static bool read_members(struct arena *a, const struct json *list, struct type *out, uint32_t depth)
{
	struct type_member *members = NULL;

	if (!list || list->kind != JSON_LIST || list->n > LIMIT_C_MEMBERS)
		return !list;
	for (uint32_t i = 0; i < list->n; i++) {
		const struct json *pair = &list->items[i];
		struct type *type = arena_new_of(a, struct type);

		if (pair->kind != JSON_LIST || pair->n != 2 || !json_text(&pair->items[0]) ||
		    !read_type(a, &pair->items[1], type, depth))
			return false;
		arena_push(a, members, out->n_members,
			   ((struct type_member){.name = json_text(&pair->items[0]),
						 .type = type}));
	}
	out->members = members;
	return true;
}

static bool read_array(struct arena *a, const struct json *j, struct type *out, uint32_t depth)
{
	struct type *to = arena_new_of(a, struct type);
	const struct json *of = json_member(j, "to");
	uint32_t n;

	if (!of || !read_type(a, of, to, depth) || !small(j, "n", LIMIT_EVENT_BYTES, &n))
		return false;
	out->to = to;
	return !__builtin_mul_overflow(n, to->size, &out->size);
}

static bool read_type(struct arena *a, const struct json *j, struct type *out, uint32_t depth)
{
	const char *kind = json_text(json_member(j, "kind"));
	uint32_t index = 0, form = 0;

	while (index < TY_KINDS && !(kind && strcmp(type_kinds[index].word, kind) == 0))
		index++;
	if (index == TY_KINDS || depth == TYPE_DEPTH ||
	    !small(j, "size", LIMIT_C_BYTES, &out->size))
		return false;
	out->kind = (enum type_kind)index;
	out->is_signed = json_is_true(json_member(j, "signed"));
	switch (out->kind) {
	case TY_INT: return read_enum(a, json_member(j, "enum"), out);
	case TY_AGG: return read_agg(j, out);
	case TY_KSTACK:
	case TY_USTACK:
		if (!small(j, "form", STACK_FORM_COUNT - 1, &form))
			return false;
		out->form = (enum stack_form)form;
		return true;
	case TY_TUPLE:
	case TY_RECORD:
	case TY_STRUCT: return read_members(a, json_member(j, "members"), out, depth + 1);
	case TY_ARRAY: return read_array(a, j, out, depth + 1);
	default: return true;
	}
}

const struct type *type_json_read(struct arena *a, const struct json *j)
{
	struct type *out = arena_new_of(a, struct type);

	return j && read_type(a, j, out, 0) ? out : NULL;
}
