/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types: the constants, their names, and the type that holds values of two others.
 */
#include "parser/lang/type.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "parser/lang/c_type.h"
#include "parser/base/arena.h"

const struct type type_error = {.kind = TY_ERROR, .size = 8, .align = 8};
const struct type type_void = {.kind = TY_VOID, .align = 1};
const struct type type_bool = {.kind = TY_BOOL, .size = 1, .align = 1};
const struct type type_kstack = {.kind = TY_KSTACK, .size = 8, .align = 8};
const struct type type_ksym = {.kind = TY_KSYM, .size = 8, .align = 8};
const struct type type_usym = {.kind = TY_USYM, .size = 16, .align = 8};
const struct type type_username = {.kind = TY_USERNAME, .size = 8, .align = 8};
const struct type type_time = {.kind = TY_TIMESTAMP, .size = 8, .align = 8};
const struct type type_cgroup = {.kind = TY_CGROUP, .size = 8, .align = 8};
const struct type type_name = {.kind = TY_NAME, .size = 4, .align = 4};
const struct type type_inet = {.kind = TY_INET, .size = 24, .align = 8};
const struct type type_mac = {.kind = TY_MAC, .size = 6, .align = 8};
const struct type type_float = {.kind = TY_FLOAT, .size = 4, .align = 8};
const struct type type_double = {.kind = TY_FLOAT, .size = 8, .align = 8};
const struct type type_long_double = {.kind = TY_FLOAT, .size = 16, .align = 8};
const struct type type_gfp = {.kind = TY_GFP, .size = 8, .align = 8};

const struct type_kind_row type_kinds[TY_KINDS] = {
#define TYPE_KIND(id, shape, word, typeinfo, plain) \
	[TY_##id] = {SHAPE_##shape, word, typeinfo, plain},
#include "parser/lang/type_kinds.def"
};

const struct type type_ustack = {.kind = TY_USTACK, .size = 8, .align = 8};

static const struct type ints[2][4] = {
	{
		{.kind = TY_INT, .size = 1, .align = 1},
		{.kind = TY_INT, .size = 2, .align = 2},
		{.kind = TY_INT, .size = 4, .align = 4},
		{.kind = TY_INT, .size = 8, .align = 8},
	},
	{
		{.kind = TY_INT, .size = 1, .align = 1, .is_signed = true},
		{.kind = TY_INT, .size = 2, .align = 2, .is_signed = true},
		{.kind = TY_INT, .size = 4, .align = 4, .is_signed = true},
		{.kind = TY_INT, .size = 8, .align = 8, .is_signed = true},
	},
};

static const struct type aggs[2][AGG_KIND_COUNT] = {
/* The size is that of a single value in a record; agg_words() has that in a map. */
#define AGG_ROW(id, name_u, name_s, layout, readable, bytes, ...) \
	[AGG_##id] = {.kind = TY_AGG, .size = bytes, .align = 8, .agg = AGG_##id},
	{
#include "parser/lang/aggs.def"
	},
#define AGG_ROW(id, name_u, name_s, layout, readable, bytes, ...) \
	[AGG_##id] = {                                            \
		.kind = TY_AGG, .size = bytes, .align = 8, .is_signed = true, .agg = AGG_##id},
	{
#include "parser/lang/aggs.def"
	},
};

static const struct type stacks[2][STACK_FORM_COUNT] = {
	{
#define STACK_FORM(id, ...) {.kind = TY_KSTACK, .size = 8, .align = 8, .form = FORM_##id},
#include "parser/lang/stack_words.def"
	},
	{
#define STACK_FORM(id, ...) {.kind = TY_USTACK, .size = 8, .align = 8, .form = FORM_##id},
#include "parser/lang/stack_words.def"
	},
};

const struct type *type_kstack_as(enum stack_form form)
{
	return &stacks[0][form];
}

const struct type *type_ustack_as(enum stack_form form)
{
	return &stacks[1][form];
}

const struct type *type_int(uint32_t size, bool is_signed)
{
	return &ints[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

const struct type *type_plain_int(const struct type *t)
{
	return t->kind == TY_INT && t->enumeration ? type_int(t->size, t->is_signed) : t;
}

const struct type *type_wide(const struct type *t)
{
	if (t->kind != TY_INT || t->size == 8)
		return t;
	return t->enumeration ? &t->enumeration->wide : type_int(8, t->is_signed);
}

/* A type of its own, like `from`. */
static struct type *new_type(struct arena *a, struct type from)
{
	struct type *t = arena_new_of(a, struct type);

	*t = from;
	return t;
}

const struct type *type_tagged(struct arena *a, bool is_signed, enum type_clock clock,
			       enum type_space space)
{
	struct type *t = new_type(a, *type_int(8, is_signed));

	t->clock = clock;
	t->space = space;
	return t;
}

static const char string_name[] = "string", buffer_name[] = "buffer", inet_name[] = "inet",
		  duration_name[] = "duration";

/* Names of types in scripts; size 0: not a plain integer. */
static const struct {
	const char *name;
	uint32_t size;
	bool is_signed;
	const struct type *other; /* not an integer */
} names[] = {
	{"bool", 1, false, &type_bool},
	{"int8", 1, true},
	{"int16", 2, true},
	{"int32", 4, true},
	{"int64", 8, true},
	{"uint8", 1, false},
	{"uint16", 2, false},
	{"uint32", 4, false},
	{"uint64", 8, false},
	{"char", 1, true},
	{"short", 2, true},
	{"int", 4, true},
	{"long", 8, true},
	{"int8_t", 1, true},
	{"int16_t", 2, true},
	{"int32_t", 4, true},
	{"int64_t", 8, true},
	{"uint8_t", 1, false},
	{"uint16_t", 2, false},
	{"uint32_t", 4, false},
	{"uint64_t", 8, false},
	{duration_name, 8, false},
	{"size_t", 8, false},
	{"ssize_t", 8, true},
	{"pid_t", 4, true},
	{"u8", 1, false},
	{"u16", 2, false},
	{"u32", 4, false},
	{"u64", 8, false},
	{"s8", 1, true},
	{"s16", 2, true},
	{"s32", 4, true},
	{"s64", 8, true},
	{string_name, 0, false},
	{"void", 0, false},
	{buffer_name, 0, false},
	{inet_name, 0, false, &type_inet},
	{"macaddr_t", 0, false, &type_mac},
	{"username_t", 0, false, &type_username},
	{"float", 0, false, &type_float},
	{"double", 0, false, &type_double},
	{"timestamp", 0, false, &type_time},
	{"cgroup_path_t", 0, false, &type_cgroup},
};

const char *type_name_at(uint32_t i)
{
	return i < sizeof(names) / sizeof(*names) ? names[i].name : NULL;
}
enum { N_NAMES = sizeof(names) / sizeof(*names) };

bool type_is_name(const char *name)
{
	return TEXT_ROW(names, name, name, strlen(name));
}

const char *type_made_by(const char *name)
{
	static const struct {
		const char *name, *made_by;
	} made[] = {
		{"ksym_t", "ksym(address)"},
		{"usym_t", "usym(address)"},
		{"kstack", "kstack"},
		{"ustack", "ustack"},
		{"kstack_t", "kstack"},
		{"ustack_t", "ustack"},
		{"mac_address", "macaddr(address)"},
	};

	__auto_type row = TEXT_ROW(made, name, name, strlen(name));

	return row ? row->made_by : NULL;
}

void type_offer_names(struct nearest *near, bool (*offer)(struct nearest *, const char *))
{
	for (int i = 0; i < N_NAMES; i++)
		offer(near, names[i].name);
}

const struct type *type_of_name(const char *name)
{
	__auto_type row = TEXT_ROW(names, name, name, strlen(name));

	if (!row || row->other)
		return row ? row->other : NULL;
	return row->size ? type_int(row->size, row->is_signed) : NULL;
}

const struct type *type_float_named(const char *name)
{
	static const struct {
		const char *name;
		const struct type *type;
	} floats[] = {
		{"float", &type_float},
		{"double", &type_double},
		{"long double", &type_long_double},
		{"f32", &type_float},
		{"f64", &type_double},
		{"float32", &type_float},
		{"float64", &type_double},
	};
	__auto_type row = TEXT_ROW(floats, name, name, strlen(name));

	return row ? row->type : NULL;
}

bool type_is_sized_name(const char *name)
{
	return strcmp(name, buffer_name) == 0 || strcmp(name, inet_name) == 0;
}

bool type_is_duration_name(const char *name)
{
	return strcmp(name, duration_name) == 0;
}

bool type_is_string_name(const char *name)
{
	return strcmp(name, string_name) == 0;
}

const struct type *type_string(struct arena *a, uint32_t size)
{
	return new_type(a, (struct type){.kind = TY_STRING, .size = size, .align = 1});
}

const struct type *type_chars(struct arena *a, uint32_t size)
{
	return new_type(
		a, (struct type){.kind = TY_STRING, .size = size, .align = 1, .is_chars = true});
}

const struct type *type_buffer(struct arena *a, uint32_t n)
{
	return new_type(a, (struct type){.kind = TY_BUFFER, .size = BUFFER_HEAD + n, .align = 8});
}

/* Strings are copied by words, so they are aligned to 8 here too. */
const struct type *type_tuple(struct arena *a, bool is_record, struct type_member *members,
			      uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t align = members[i].type->kind == TY_STRING ? 8 : members[i].type->align;

		at = (at + align - 1) / align * align;
		members[i].offset = at;
		at += members[i].type->size;
	}
	return new_type(a, (struct type){.kind = is_record ? TY_RECORD : TY_TUPLE,
					 .align = 8,
					 .members = members,
					 .n_members = n,
					 .size = at ? (at + 7) / 8 * 8 : 8});
}

const struct type *type_opaque(struct arena *a, const char *name)
{
	return new_type(a, (struct type){.kind = TY_VOID, .align = 1, .name = name});
}

const struct type *type_pointer(struct arena *a, const struct type *to, enum type_space space)
{
	return new_type(
		a,
		(struct type){.kind = TY_POINTER, .size = 8, .align = 8, .to = to, .space = space});
}

const struct type *type_array(struct arena *a, const struct type *elem, uint32_t n)
{
	return new_type(
		a, (struct type){.kind = TY_ARRAY, .size = n * elem->size, .align = 8, .to = elem});
}

int type_member_index(const struct type *t, const char *name)
{
	char number[16];

	for (uint32_t i = 0; type_is_compound(t) && i < t->n_members; i++) {
		snprintf(number, sizeof(number), "%u", i);
		if (strcmp(t->kind == TY_TUPLE ? number : t->members[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

bool type_equal_parts(const struct type *x, const struct type *y)
{
	if (!layout_equal(x->layout, y->layout) || !enum_equal(x->enumeration, y->enumeration))
		return false;
	if (x->layout)
		return true;
	if (x->n_members != y->n_members || x->space != y->space || !x->to != !y->to)
		return false;
	if (x->to && !type_equal(x->to, y->to))
		return false;
	for (uint32_t i = 0; i < x->n_members; i++) {
		const struct type_member *m = &x->members[i], *n = &y->members[i];

		if (!type_equal(m->type, n->type) || (m->name && strcmp(m->name, n->name) != 0))
			return false;
	}
	return true;
}

const struct type *type_agg(enum agg_kind agg, bool is_signed)
{
	return &aggs[is_signed][agg];
}

const struct type *type_buckets(struct arena *a, enum agg_kind agg, const int64_t scale[3])
{
	return new_type(a, (struct type){.kind = TY_AGG,
					 .size = 8,
					 .align = 8,
					 .agg = agg,
					 .scale = {scale[0], scale[1], scale[2]}});
}

static const char *agg_str(struct arena *a, const struct type *t)
{
	const struct agg_row *row = &agg_rows[t->agg];
	const char *name = t->is_signed ? row->name_signed : row->name_unsigned;

	if (agg_is_series(t))
		return arena_printf(a, "%s(%lld, %lld%s%s)", name, (long long)t->scale[0],
				    (long long)t->scale[1], t->scale[2] ? ", " : "",
				    series_ops[t->scale[2]]);
	if (row->scale_shown == 3)
		return arena_printf(a, "%s(%lld, %lld, %lld)", name, (long long)t->scale[0],
				    (long long)t->scale[1], (long long)t->scale[2]);
	if (row->scale_shown == 1 && t->scale[0])
		return arena_printf(a, "%s(%lld)", name, (long long)t->scale[0]);
	return name ? name : "?";
}

/* "(int64,string[4])", "record { .x = int64, .y = bool }" */
static const char *compound_str(struct arena *a, const struct type *t)
{
	bool is_record = t->kind == TY_RECORD;
	const char *s = is_record ? "record {" : "(";

	for (uint32_t i = 0; i < t->n_members; i++) {
		const char *type = type_str(a, t->members[i].type);

		if (is_record)
			s = arena_printf(a, "%s%s .%s = %s", s, i ? "," : "", t->members[i].name,
					 type);
		else
			s = arena_printf(a, "%s%s%s", s, i ? "," : "", type);
	}
	return arena_printf(a, "%s%s", s, is_record ? " }" : ")");
}

/* "ustack", "ustack(perf)" */
static const char *stack_str(struct arena *a, const char *name, const struct type *t)
{
	return t->form ? arena_printf(a, "%s(%s)", name, stack_words[t->form].word) : name;
}

const char *type_str(struct arena *a, const struct type *t)
{
	if (!t)
		return "?";
	switch (t->kind) {
	case TY_ERROR: return "error";
	case TY_VOID: return t->name ? t->name : "void";
	case TY_BOOL: return "bool";
	case TY_INT:
		return t->enumeration
			       ? enum_str(a, t->enumeration)
			       : arena_printf(a, "%sint%u", t->is_signed ? "" : "u", t->size * 8);
	case TY_STRUCT: return layout_str(a, t->layout);
	case TY_STRING:
		return t->size ? arena_printf(a, "%s[%u]", string_name, t->size) : string_name;
	case TY_KSTACK: return stack_str(a, "kstack", t);
	case TY_USTACK: return stack_str(a, "ustack", t);
	case TY_KSYM: return "ksym";
	case TY_USYM: return "usym";
	case TY_USERNAME: return "username";
	case TY_CGROUP: return "cgroup_path";
	case TY_TIMESTAMP: return "timestamp";
	case TY_BUFFER: return arena_printf(a, "%s[%u]", buffer_name, t->size - BUFFER_HEAD);
	case TY_INET: return arena_printf(a, "%s[%u]", inet_name, t->size);
	case TY_MAC: return "mac_address";
	case TY_FLOAT: return t->size == 4 ? "float" : t->size == 8 ? "double" : "long double";
	case TY_GFP: return "gfp_flags";
	case TY_CALL: return "call";
	case TY_NAME: return "name";
	case TY_AGG: return agg_str(a, t);
	case TY_TUPLE:
	case TY_RECORD: return compound_str(a, t);
	case TY_POINTER: return arena_printf(a, "%s *", type_str(a, t->to));
	case TY_ARRAY:
		return t->size ? arena_printf(a, "%s[%u]", type_str(a, t->to), type_elements(t))
			       : arena_printf(a, "%s[]", type_str(a, t->to));
	}
	return "?";
}

/* Same sign: the larger type. Different sign: the signed one if it is strictly larger, else a
 * signed type of twice the unsigned one's size, at most 64 bits. */
static const struct type *unify_ints(const struct type *x, const struct type *y)
{
	const struct type *s = x->is_signed ? x : y, *u = x->is_signed ? y : x;
	uint32_t size;

	if (x->is_signed == y->is_signed && enum_equal(x->enumeration, y->enumeration))
		return x->size >= y->size ? x : y;
	if (x->is_signed == y->is_signed)
		return type_int(x->size >= y->size ? x->size : y->size, x->is_signed);
	size = s->size > u->size ? s->size : u->size * 2;
	return type_int(size > 8 ? 8 : size, true);
}

const struct type *type_unify(const struct type *x, const struct type *y)
{
	if (type_equal(x, y))
		return x;
	if (x->kind == TY_ERROR || y->kind == TY_ERROR)
		return &type_error;
	if (x->kind == y->kind && (x->kind == TY_STRING || x->kind == TY_BUFFER))
		return x->size >= y->size ? x : y;
	if (type_is_integral(x) && type_is_integral(y)) {
		if (x->kind == TY_BOOL)
			return type_plain_int(y);
		if (y->kind == TY_BOOL)
			return type_plain_int(x);
		return unify_ints(x, y);
	}
	if (x->kind == TY_AGG && y->kind == TY_AGG && x->agg == y->agg &&
	    x->scale[0] == y->scale[0] && x->scale[1] == y->scale[1] && x->scale[2] == y->scale[2])
		return x->is_signed ? x : y;
	return NULL;
}
