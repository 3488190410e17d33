/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types as JSON: see type_json.h. A type is an object of its kind, its size and what its
 * kind needs besides: {"kind": "int", "size": 4, "signed": true}.
 */
#include "runtime/output/type_json.h"
#include "parser/base/text.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/agg.h"
#include "parser/lang/builtin.h"
#include "parser/lang/c_type.h"

enum { SERIES_INTERVALS = 1000000, LINEAR_STEPS = 1000, LOG_K = 5, TYPE_DEPTH = 32 };

/* ---- writing ----------------------------------------------------------------------------- */

static void put_enum(struct json *j, const struct type_enum *e)
{
	json_open(j, "enum", '[');
	for (uint32_t i = 0; i < e->n_values; i++) {
		json_open(j, NULL, '[');
		json_put_string(j, NULL, e->values[i].name);
		json_put_signed(j, NULL, e->values[i].value);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_members(struct json *j, const struct type *type)
{
	json_open(j, "members", '[');
	for (uint32_t i = 0; i < type->n_members; i++) {
		const char *name = type->members[i].name;

		json_open(j, NULL, '[');
		json_put_string(j, NULL, name ? name : "");
		type_json_put(j, NULL, type->members[i].type);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_agg(struct json *j, const struct type *type)
{
	json_put_string(j, "aggregation", builtin_of_agg(type->agg)->name);
	json_put_string(j, "of", agg_rows[type->agg].name_unsigned);
	json_open(j, "scale", '[');
	for (int i = 0; i < 3; i++)
		json_put_signed(j, NULL, type->scale[i]);
	json_close(j, ']');
}

void type_json_put(struct json *j, const char *key, const struct type *type)
{
	json_open(j, key, '{');
	json_put_string(j, "kind", type_kinds[type->kind].word);
	json_put_unsigned(j, "size", type->size);
	if (type->is_signed)
		json_put_bool(j, "signed", true);
	if (type->kind == TY_INT && type->enumeration)
		put_enum(j, type->enumeration);
	if (type->kind == TY_AGG)
		put_agg(j, type);
	if (type->kind == TY_KSTACK || type->kind == TY_USTACK)
		json_put_unsigned(j, "form", type->form);
	if (type->n_members)
		put_members(j, type);
	if (type->kind == TY_ARRAY) {
		json_put_unsigned(j, "n", type_elements(type));
		type_json_put(j, "to", type->to);
	}
	json_close(j, '}');
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_type(struct arena *a, const json_t *j, struct type *out, uint32_t depth);

static bool small(const json_t *j, const char *name, uint64_t most, uint32_t *out)
{
	uint64_t x;

	if (!json_number(json_object_get(j, name), &x) || x > most)
		return false;
	*out = (uint32_t)x;
	return true;
}

/* [name, …], of which *name is kept; NULL: it is none. */
static const json_t *pair_of(const json_t *list, uint32_t i, const char **name)
{
	const json_t *pair = json_array_get(list, i);

	*name = json_string_value(json_array_get(pair, 0));
	return json_array_size(pair) == 2 && *name ? json_array_get(pair, 1) : NULL;
}

static bool read_enum(struct arena *a, const json_t *list, struct type *out)
{
	struct type_enum *e;
	uint64_t value;

	if (!list || !json_is_array(list))
		return !list;
	e = enum_new(a, NULL, out->size, out->is_signed);
	for (uint32_t i = 0; i < json_array_size(list); i++) {
		const char *name;

		if (!json_number(pair_of(list, i, &name), &value))
			return false;
		enum_add(a, e, name, (int64_t)value);
	}
	out->enumeration = e;
	return true;
}

static bool is_scale(const struct type *t)
{
	const int64_t *s = t->scale;

	switch (agg_rows[t->agg].buckets) {
	case BUCKETS_NONE: break;
	case BUCKETS_LOG:
	case BUCKETS_SIGNED: return s[0] >= 0 && s[0] <= LOG_K;
	case BUCKETS_LINEAR:
		return s[2] > 0 && s[1] >= s[0] &&
		       ((uint64_t)s[1] - (uint64_t)s[0]) / (uint64_t)s[2] <= LINEAR_STEPS;
	case BUCKETS_SERIES:
		return s[0] > 0 && s[1] > 0 && s[1] <= SERIES_INTERVALS && s[2] >= SERIES_LAST &&
		       s[2] <= SERIES_SUM;
	}
	return true;
}

static bool read_agg(const json_t *j, struct type *out)
{
	const char *name = json_string_value(json_object_get(j, "of"));
	const json_t *scale = json_object_get(j, "scale");

	return name && agg_named(name, &out->agg) && json_array_size(scale) == 3 &&
	       json_numbers(scale, (uint64_t *)out->scale) && is_scale(out);
}

static bool read_members(struct arena *a, const json_t *list, struct type *out, uint32_t depth)
{
	struct type_member *members = NULL;

	if (!list || !json_is_array(list) || json_array_size(list) > LIMIT_C_MEMBERS)
		return !list;
	for (uint32_t i = 0; i < json_array_size(list); i++) {
		struct type *type = arena_new_of(a, struct type);
		struct type_member member = {.type = type};
		const json_t *of = pair_of(list, i, &member.name);

		if (!of || !read_type(a, of, type, depth))
			return false;
		arena_push(a, members, out->n_members, member);
	}
	out->members = members;
	return true;
}

static bool read_array(struct arena *a, const json_t *j, struct type *out, uint32_t depth)
{
	struct type *to = arena_new_of(a, struct type);
	const json_t *of = json_object_get(j, "to");
	uint32_t n;

	if (!of || !read_type(a, of, to, depth) || !small(j, "n", LIMIT_EVENT_BYTES, &n))
		return false;
	out->to = to;
	return !__builtin_mul_overflow(n, to->size, &out->size);
}

static bool read_type(struct arena *a, const json_t *j, struct type *out, uint32_t depth)
{
	const char *kind = json_string_value(json_object_get(j, "kind"));
	__auto_type row = kind ? TEXT_ITEM(type_kinds, TY_KINDS, word, kind) : NULL;
	uint32_t form = 0;

	if (!row || depth == TYPE_DEPTH || !small(j, "size", LIMIT_C_BYTES, &out->size))
		return false;
	out->kind = (enum type_kind)(row - type_kinds);
	out->is_signed = json_is_true(json_object_get(j, "signed"));
	switch (out->kind) {
	case TY_INT: return read_enum(a, json_object_get(j, "enum"), out);
	case TY_AGG: return read_agg(j, out);
	case TY_KSTACK:
	case TY_USTACK:
		if (!small(j, "form", STACK_FORM_COUNT - 1, &form))
			return false;
		out->form = (enum stack_form)form;
		return true;
	case TY_TUPLE:
	case TY_RECORD:
	case TY_STRUCT: return read_members(a, json_object_get(j, "members"), out, depth + 1);
	case TY_ARRAY: return read_array(a, j, out, depth + 1);
	default: return true;
	}
}

const struct type *type_json_read(struct arena *a, const json_t *j)
{
	struct type *out = arena_new_of(a, struct type);

	return j && read_type(a, j, out, 0) ? out : NULL;
}

const struct type *type_json_copy(struct arena *a, const struct type *t)
{
	struct text_grown text;
	struct json j = {.text = &text.text};
	const struct type *copy;

	text_grown_init(&text);
	type_json_put(&j, NULL, t);
	copy = type_json_read(a, json_read(a, text.text.bytes, text.text.n));
	text_grown_free(&text);
	return copy ?: t;
}
