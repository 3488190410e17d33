/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 2 for compound values: tuples, records, indexes, casts, type names in scripts, and the
 * entries and keys of maps as tuples. Called from the rounds of sema_type.c.
 */
#include "parser/lang/agg.h"
#include "parser/sema/sema_type.h"

/* The result has its members in x's order; members of records are matched by name. */
const struct type *compound_unify(struct sema *s, const struct type *x, const struct type *y)
{
	struct type_member *members = arena_alloc(s->arena, (x->n_members + 1) * sizeof(*members));
	bool is_other = false;

	if (x->kind != y->kind || x->n_members != y->n_members)
		return NULL;
	for (uint32_t i = 0; i < x->n_members; i++) {
		int j = x->kind == TY_TUPLE ? (int)i : type_member_index(y, x->members[i].name);

		members[i] = x->members[i];
		members[i].type =
			j < 0 ? NULL : sema_unify(s, x->members[i].type, y->members[j].type);
		if (!members[i].type)
			return NULL;
		is_other |= members[i].type != x->members[i].type;
	}
	return is_other ? type_tuple(s->arena, x->kind == TY_RECORD, members, x->n_members) : x;
}

const struct type *compound_compare(struct sema *s, struct expr *e, bool equality)
{
	const struct type *x = e->binary.left->type, *y = e->binary.right->type;

	if (!equality)
		return sema_error(s, e->span, "operand-type",
				  "'%s' cannot compare %s: only == and != can",
				  op_str(e->binary.op), sema_name_of(s, x));
	if (sema_unify(s, x, y))
		return &type_bool;
	return sema_error(s, e->span, "type-mismatch", "cannot compare %s with %s",
			  sema_name_of(s, x), sema_name_of(s, y));
}

/* *p: of a pointer, or of an integer, which reads 8 bytes at that address. */
const struct type *compound_deref(struct sema *s, struct expr *e)
{
	const struct type *t;

	if (ast_is_args(e->unary.operand))
		return sema_become(s, e, e->unary.operand);
	sema_type_expr(s, e->unary.operand);
	t = struct_resolve(s, e->unary.operand);
	if (t->kind != TY_POINTER && sema_is_wrong(sema_check_int(s, e->unary.operand, "*")))
		return &type_error;
	return memory_read(s, e, t);
}

const struct type *compound_member(struct sema *s, struct expr *e)
{
	const struct type *t = e->field.object->type;
	int i = type_member_index(t, e->field.name);
	const char *near = NULL;

	if (i >= 0 && t->members[i].type->kind == TY_AGG)
		return sema_error(s, e->span, "agg-read", "a %s cannot be read as a number",
				  sema_name_of(s, t->members[i].type));
	if (i >= 0 && constant_member(e, (uint32_t)i, e->field.object))
		return sema_type_expr(s, e);
	if (i >= 0)
		return t->members[i].type;
	sema_error(s, e->field.name_span, "no-field", "%s has no '%s'", sema_name_of(s, t),
		   e->field.name);
	if (t->kind == TY_RECORD)
		near = NEAREST(e->field.name, t->members, t->n_members, item->name);
	if (near)
		return sema_hint(s, "did you mean '%s'?", near);
	if (t->kind == TY_TUPLE)
		sema_hint(s, "its members are .0 to .%u", t->n_members ? t->n_members - 1 : 0);
	return &type_error;
}

/* The type of a member of a tuple or record literal. */
static const struct type *member_type(struct sema *s, struct expr *item)
{
	const struct type *t = sema_type_expr(s, item);

	t = known_shown(s, item);
	if (t->kind == TY_VOID || t->kind == TY_AGG)
		return sema_error(s, item->span, "no-value",
				  "%s cannot be a member of a tuple or record", sema_name_of(s, t));
	return sema_stored(t); /* of a literal: takes the sign of what is assigned elsewhere */
}

static bool is_doubled(const struct expr *e, uint32_t i)
{
	for (uint32_t j = 0; e->kind == EX_RECORD && j < i; j++)
		if (strcmp(e->list.names[i], e->list.names[j]) == 0)
			return true;
	return false;
}

const struct type *compound_list(struct sema *s, struct expr *e)
{
	uint32_t n = e->list.n, size = 0;
	struct type_member *members = arena_alloc(s->arena, (n + 1) * sizeof(*members));
	const struct type *wrong = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const struct type *t = member_type(s, e->list.items[i]);

		members[i].type = t;
		members[i].name = e->kind == EX_RECORD ? e->list.names[i] : NULL;
		if (is_doubled(e, i))
			wrong = sema_error(s, e->list.name_spans[i], "redeclared",
					   "duplicate field '%s' in a record", e->list.names[i]);
		if (t->kind == TY_ERROR && wrong != &type_error)
			wrong = t;
		if (t->kind != TY_ERROR && size <= LIMIT_TUPLE_BYTES)
			size += t->size;
	}
	if (wrong)
		return wrong;
	if (size > LIMIT_TUPLE_BYTES) {
		sema_error(s, e->span, "limit-tuple", "this takes more than %d bytes",
			   LIMIT_TUPLE_BYTES);
		return sema_hint(s, "read shorter strings: str(x, 64)");
	}
	return type_tuple(s->arena, e->kind == EX_RECORD, members, n);
}

static bool has_brackets(const struct type_name *n)
{
	return n->n_suffixes && !n->suffixes[0].is_pointer;
}

/* buffer[N], inet, inet[N]: N is a size, not a number of elements. */
static const struct type *named_sized(struct sema *s, const struct type_name *n,
				      const struct type *t)
{
	uint64_t size = has_brackets(n) ? n->suffixes[0].n : 0;

	if (t) /* it has one size */
		return t;
	if (size && size <= LIMIT_STR_REQUESTED)
		return type_buffer(s->arena, (uint32_t)size);
	sema_error(s, n->span, "limit-string", "a buffer must have 1 to %d bytes",
		   LIMIT_STR_REQUESTED);
	return NULL;
}

/* string, string[N] */
static const struct type *named_string(struct sema *s, const struct type_name *n)
{
	bool has_size = has_brackets(n);
	uint64_t size = has_size ? n->suffixes[0].n : 0;

	if (!has_size || (size && size <= LIMIT_STR_REQUESTED))
		return type_string(s->arena, (uint32_t)size);
	sema_error(s, n->span, "limit-string",
		   "a string must have 1 to %d bytes, including the NUL", LIMIT_STR_REQUESTED);
	return NULL;
}

/* The '*' and '[N]' of a type from the `from`th on; NULL after an error. */
static const struct type *add_suffixes(struct sema *s, const struct type_name *n, uint32_t from,
				       const struct type *t)
{
	for (uint32_t i = from; t && i < n->n_suffixes; i++)
		t = n->suffixes[i].is_pointer ? type_pointer(s->arena, t, SPACE_NONE)
					      : memory_array(s, n->span, t, n->suffixes[i].n);
	return t;
}

/* typeof(value). Where the type is final it is kept, so that later passes skip the value. */
static const struct type *type_of_value(struct sema *s, const struct type_name *n)
{
	const struct type *t = n->type ? n->type : sema_type_of(s, n->of);

	if (sema_is_wrong(t))
		return NULL;
	if (t->kind == TY_VOID || t->kind == TY_AGG) {
		sema_error(s, n->span, "no-value", "typeof: %s is no type of a variable",
			   sema_name_of(s, t));
		return NULL;
	}
	if (s->report)
		((struct type_name *)n)->type = t;
	return t == &sema_unknown ? t : add_suffixes(s, n, 0, t);
}

/* Names of types that messages have and that cannot be declared. False: this is none. */
static bool refuse_inner(struct sema *s, const struct type_name *n)
{
	const char *made_by = type_made_by(n->name);
	enum agg_kind agg;
	bool is_agg = agg_named(n->name, &agg);

	if (!is_agg && !made_by)
		return false;
	sema_error(s, n->span, "no-value",
		   is_agg ? "%s is an aggregation, which only a map can hold"
			  : "the type %s cannot be declared",
		   n->name);
	if (is_agg)
		sema_hint(s, "write @name = %s(…); a map needs no declaration",
			  builtin_of_agg(agg)->name);
	else
		sema_hint(s, "assign a value instead: let $x = %s;", made_by);
	return true;
}

/* The type that a script names; NULL after an error. */
const struct type *compound_named(struct sema *s, const struct type_name *n)
{
	const struct type *t;
	bool is_string, is_sized;

	if (n->of)
		return type_of_value(s, n);
	t = type_of_name(n->name);
	is_string = type_is_string_name(n->name);
	is_sized = type_is_sized_name(n->name);
	if (is_string && !(t = named_string(s, n)))
		return NULL;
	if (is_sized && !(t = named_sized(s, n, t)))
		return NULL;
	if (!t && n->n_suffixes && n->suffixes[0].is_pointer &&
	    strcmp(type_str(s->arena, &type_void), n->name) == 0)
		t = &type_void;
	if (!t)
		t = struct_named(s, n->name);
	if (!t && type_is_name(n->name)) {
		sema_error(s, n->span, "no-value", "%s is no type of a variable", n->name);
		return NULL;
	}
	if (n->n_suffixes && (t == &type_time || t == &type_cgroup)) {
		sema_error(s, n->span, "cast-type", "there are no pointers to and arrays of %s",
			   n->name);
		return NULL;
	}
	if (!t) {
		if (!refuse_inner(s, n))
			struct_unknown(s, n->span, n->name);
		return NULL;
	}
	return add_suffixes(s, n, (is_string && t->size) || (is_sized && has_brackets(n)), t);
}

/* A time or a cgroup is made by its function, which says how it is written. */
static const struct type *cast_to_formatted(struct sema *s, const struct expr *e,
					    const struct type *t, const struct type *to)
{
	if (t->kind == to->kind)
		return t;
	sema_error(s, e->span, "cast-type", "%s cannot be cast to %s", sema_name_of(s, t),
		   sema_name_of(s, to));
	return sema_hint(s, to == &type_time ? "write strftime(\"%%T\", nsecs)"
					     : "write cgroup_path(id)");
}

const struct type *compound_cast(struct sema *s, struct expr *e)
{
	const struct expr *of = e->cast.operand;
	const struct type *t, *to, *array;

	s->scales = of->kind == EX_BINARY && of->binary.op == OP_MUL;
	t = sema_type_expr(s, e->cast.operand);
	to = compound_named(s, e->cast.to);
	if (!to || sema_is_wrong(t))
		return &type_error;
	if (t->kind == TY_FLOAT)
		return float_cast(s, e, t, to);
	if (to->kind == TY_BOOL && e->cast.operand->kind == EX_STRING) {
		ast_become_int(e, e->cast.operand->string.len > 0, &type_bool);
		return &type_bool;
	}
	if (to == &type_time || to == &type_cgroup)
		return cast_to_formatted(s, e, t, to);
	if (to->kind == TY_POINTER && struct_is_decayed(s, e->cast.operand))
		t = e->cast.operand->type;
	if (sema_is_wrong(t))
		return t;
	array = memory_cast(s, e, t, to);
	if (array)
		return array;
	if (to->kind == TY_STRING && t->kind == TY_STRING)
		return to->size ? to : t;
	if (to->kind == TY_POINTER)
		to = memory_is_clear(s, e, t)
			     ? type_pointer(s->arena, to->to, ast_number_space(s->probe, t))
			     : &type_error;
	if (to->kind == TY_STRUCT)
		return struct_cast(s, e, t, to);
	if (to->enumeration && type_is_integral(t))
		return struct_enum_cast(s, e, to);
	if (!type_is_memory(to) &&
	    (t->kind == TY_POINTER || t == &sema_unknown || type_is_integral(t)))
		return type_from(to, type_space_of(t));
	if (t->kind == TY_AGG && e->cast.operand->kind != EX_CALL)
		return sema_check_int(s, e->cast.operand, "a cast");
	return sema_error(s, e->span, "cast-type", "%s cannot be cast to %s", sema_name_of(s, t),
			  sema_name_of(s, to));
}

const struct type *compound_declared(struct sema *s, const struct stmt *st)
{
	const struct type *t = compound_named(s, st->let.type), *was = st->let.var->var.var->type;

	if (t == &type_time || t == &type_cgroup) {
		t = was && was->kind == t->kind ? was : t;
		if (t == &type_time && s->report)
			t = sema_error(s, st->let.var->span, "no-value",
				       "%s gets no value of strftime(), which says how to write it",
				       st->let.var->var.name);
	}
	if (t && (t->kind == TY_STRUCT || t->kind == TY_INT) && was && type_equal(t, was))
		t = was; /* with the memory that it is copied or made from */
	return t;
}

static const struct type *cannot_index(struct sema *s, const struct expr *e, const struct type *t)
{
	const struct type *wrong =
		sema_error(s, e->span, "index-type", "%s cannot be indexed", sema_name_of(s, t));

	if (t->kind == TY_INT)
		diag_hint(s->diags, "if it is an address, cast it to a pointer: ((uint64 *)x)[0]");
	return wrong;
}

/* How many members, bytes or elements the type has. */
static __int128 index_end(const struct type *t)
{
	if (t->kind == TY_TUPLE)
		return t->n_members;
	if (t->kind == TY_STRING)
		return t->size;
	return t->kind == TY_ARRAY && type_elements(t) ? type_elements(t) : (__int128)1 << 64;
}

/* x[i] of a tuple (i is a literal), of a string (one byte), of an array or of a pointer. */
const struct type *compound_index(struct sema *s, struct expr *e)
{
	const struct expr *i = e->index.at;
	const struct type *t, *at;

	sema_type_expr(s, e->index.object);
	t = struct_resolve(s, e->index.object);
	at = sema_need_int(s, e->index.at, "[]");

	if (t->kind == TY_ERROR || sema_is_wrong(at))
		return t->kind == TY_ERROR ? t : at;
	if (t->kind == TY_POINTER)
		return memory_read(s, e, t);
	if (i->kind == EX_INT && i->integer.value >= index_end(t))
		return sema_error(s, i->span, "index-range",
				  "the index %llu is out of bounds for %s",
				  (unsigned long long)i->integer.value, sema_name_of(s, t));
	if (i->kind == EX_UNARY && i->unary.op == OP_NEG && i->unary.operand->kind == EX_INT) {
		sema_error(s, i->span, "index-range", "an index counts from the start, from 0");
		return sema_hint(s, "the last one is [len(…) - 1], of a string [strlen(…) - 1]");
	}
	if (t->kind == TY_ARRAY)
		return struct_in_place(s, e, t->to);
	if (t->kind == TY_STRING && i->kind == EX_INT && e->index.object->kind == EX_STRING)
		return sema_become(s, e, constant_byte(s->arena, e));
	if (t->kind == TY_STRING)
		return type_int(1, true);
	if (t->kind != TY_TUPLE)
		return cannot_index(s, e, t);
	if (i->kind != EX_INT)
		return sema_error(s, i->span, "index-type",
				  "a tuple is indexed by a literal number: .0");
	if (constant_member(e, (uint32_t)i->integer.value, e->index.object))
		return sema_type_expr(s, e);
	return t->members[i->integer.value].type;
}

/* One tuple holds all keys of the map. */
void compound_spread_key(struct sema *s, struct expr *e)
{
	struct map *m = e->map.map;
	struct expr *key = e->map.keys[0];
	const struct type *t = sema_type_expr(s, key);

	if (t->kind == TY_ERROR)
		return;
	if (t->kind != TY_TUPLE || t->n_members != m->n_keys) {
		sema_error(s, key->span, "key-count", "%s has %u keys, but this is %s", m->name,
			   m->n_keys, sema_name_of(s, t));
		sema_note(s, m->first, "it has %u here", m->n_keys);
		return;
	}
	for (uint32_t i = 0; i < m->n_keys; i++)
		sema_widen(s, &m->key_types[i], &m->key_spans[i], t->members[i].type, key,
			   "the key");
}

/* The type of a map entry, (key, value); several keys are a tuple. */
const struct type *compound_entry(struct sema *s, const struct map *m)
{
	struct type_member *keys = arena_alloc(s->arena, (m->n_keys + 1) * sizeof(*keys));
	struct type_member *entry = arena_alloc(s->arena, 2 * sizeof(*entry));

	if (!m->value)
		return NULL;
	for (uint32_t i = 0; i < m->n_keys; i++)
		if (!(keys[i].type = m->key_types[i]) || keys[i].type->kind == TY_ERROR)
			return NULL;
	entry[0].type =
		m->n_keys == 1 ? keys[0].type : type_tuple(s->arena, false, keys, m->n_keys);
	entry[1].type = sema_read_type(m->value);
	return type_tuple(s->arena, false, entry, 2);
}
