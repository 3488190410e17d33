/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds types of a raw BTF section by id and functions by name, and turns prototypes into struct
 * typed_function. Every id and string offset is checked before use.
 */
#include "runtime/btf/btf_types.h"
#include "parser/base/arena.h"
#include "runtime/btf/btf_decl.h"
#include "runtime/btf/btf_walk.h"
#include <bpf/btf.h>

/* Bounds of chains of typedefs and pointers, of parameters, and others. */
enum { CHAIN_MAX = 32, PARAMS_MAX = 32, WORD = 8, BY_VALUE_MAX = 16, SCANS_MAX = 3 };
enum { LEVELS_MAX = 8 }; /* pointers to pointers */

static const char raw_prefix[] = "btf_trace_";

/* ---- by id --------------------------------------------------------------------------------- */

const struct btf_type *btf_types_at(const struct btf_types *t, uint32_t id)
{
	while (t && id < t->first)
		t = t->base;
	if (!t || id - t->first >= t->n)
		return NULL;
	return (const struct btf_type *)(t->raw->types + t->at[id - t->first]);
}

/* String offsets also continue those of the base. */
const char *btf_types_string(const struct btf_types *t, uint32_t at)
{
	uint32_t before = t->base ? t->base->raw->strings_len : 0;

	if (at < before)
		return t->base->raw->strings + at;
	return at - before < t->raw->strings_len ? t->raw->strings + (at - before) : "";
}

int btf_types_init(struct btf_types *t, const struct btf_raw *raw, const struct btf_types *base)
{
	/* An upper bound: no type is smaller than struct btf_type. Untouched pages cost nothing. */
	size_t n_max = (size_t)(raw->types_end - raw->types) / sizeof(struct btf_type) + 1;
	struct btf_walk w = btf_walk_start(raw);
	const struct btf_type *type;

	*t = (struct btf_types){.raw = raw,
				.base = base,
				.at = malloc(n_max * sizeof(*t->at)),
				.first = base ? base->first + base->n : 1};
	if (!t->at)
		return -ENOMEM;
	while ((type = btf_walk_next(&w)))
		t->at[t->n++] = (uint32_t)((const uint8_t *)type - raw->types);
	if (t->n && !w.is_broken)
		return 0;
	btf_types_free(t);
	return -EINVAL;
}

void btf_types_free(struct btf_types *t)
{
	free(t->at);
	hash_free(&t->named);
	*t = (struct btf_types){0};
}

/* ---- by name ------------------------------------------------------------------------------- */

/* The name of a function or raw tracepoint; NULL for any other type. */
static const char *prototype_name(const struct btf_types *t, const struct btf_type *type,
				  enum typed_kind *kind)
{
	const char *name = btf_types_string(t, type->name_off);

	if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC) {
		*kind = TYPED_FUNCTION;
		return name;
	}
	if (BTF_INFO_KIND(type->info) != BTF_KIND_TYPEDEF ||
	    strncmp(name, raw_prefix, sizeof(raw_prefix) - 1) != 0)
		return NULL;
	*kind = TYPED_TRACEPOINT;
	return name + sizeof(raw_prefix) - 1;
}

void btf_types_each(const struct btf_types *t, enum typed_kind kind,
		    void (*fn)(const char *name, uint32_t id, void *ctx), void *ctx)
{
	for (uint32_t i = 0; i < t->n; i++) {
		enum typed_kind found;
		const char *name = prototype_name(t, btf_types_at(t, t->first + i), &found);

		if (name && found == kind)
			fn(name, t->first + i, ctx);
	}
}

/* A function and a raw tracepoint may share a name. */
struct typed_name {
	enum typed_kind kind;
	const char *name; /* NULL: neither a function nor a raw tracepoint */
};

static struct typed_name name_of(const struct btf_types *t, uint32_t id)
{
	struct typed_name n = {0};

	n.name = prototype_name(t, btf_types_at(t, id), &n.kind);
	return n;
}

HASH_FUNCTIONS(typed_ids, uint32_t, struct typed_name, hash_string(key.name),
	       a.kind == b.kind && strcmp(a.name, b.name) == 0,
	       name_of(HASH_TABLE_OWNER(h, struct btf_types, named), *e), *e)

static int index_names(struct btf_types *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += name_of(t, t->first + i).name != NULL;
	if (typed_ids_reserve(&t->named, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		struct typed_name name = name_of(t, t->first + i);

		if (name.name && !typed_ids_find(&t->named, name) &&
		    typed_ids_insert(&t->named, t->first + i))
			return -ENOMEM;
	}
	return 0;
}

static uint32_t scan_for(const struct btf_types *t, enum typed_kind kind, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++) {
		enum typed_kind found;
		const char *here = prototype_name(t, btf_types_at(t, t->first + i), &found);

		if (here && found == kind && strcmp(here, name) == 0)
			return t->first + i;
	}
	return 0;
}

/* The first few lookups scan: building the index costs as much as a few scans. */
uint32_t btf_types_find(struct btf_types *t, enum typed_kind kind, const char *name)
{
	const uint32_t *id;

	if (!t->named.n_slots && ++t->n_scans <= SCANS_MAX)
		return scan_for(t, kind, name);
	if (!t->named.n_slots && index_names(t))
		return 0;
	id = typed_ids_find(&t->named, (struct typed_name){kind, name});
	return id ? *id : 0;
}

/* ---- prototypes ---------------------------------------------------------------------------- */

const struct btf_type *btf_types_plain(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_types_at(t, id);

	for (int i = 0; type && i < CHAIN_MAX; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type))
			return type;
		type = btf_types_at(t, type->type);
	}
	return NULL;
}

/* Set size and sign of a value of that type; size 0 if it is neither a number nor an address.
 * Returns the bytes it takes among the arguments, a multiple of a word. */
static uint32_t value_of(const struct btf_types *t, uint32_t id, struct tp_field *f)
{
	const struct btf_type *type = btf_types_plain(t, id);
	uint32_t encoding;

	if (!type)
		return WORD;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR: f->size = WORD; return WORD;
	case BTF_KIND_INT:
		encoding = *(const uint32_t *)(type + 1);
		f->is_signed = BTF_INT_ENCODING(encoding) & BTF_INT_SIGNED;
		f->size = type->size <= WORD ? type->size : 0;
		return type->size <= WORD ? WORD : 2 * WORD;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		f->is_signed = BTF_INFO_KFLAG(type->info);
		f->size = type->size;
		return WORD;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return type->size > WORD && type->size <= BY_VALUE_MAX ? 2 * WORD : WORD;
	default: return WORD;
	}
}

static struct tp_pointee pointee_of(const struct btf_types *t, uint32_t id, struct arena *a)
{
	struct tp_pointee to = {.text = ""};
	const struct btf_type *type = btf_types_plain(t, id);
	struct tp_field f = {0};

	while (to.levels < LEVELS_MAX && type && btf_is_ptr(type)) {
		to.levels++;
		id = type->type;
		type = btf_types_plain(t, id);
	}
	if (!to.levels)
		return to;
	value_of(t, id, &f);
	to.size = f.size;
	to.is_signed = f.is_signed;
	to.text = btf_declaration(t, id, "", a);
	return to;
}

static struct tp_field field_of(const struct btf_types *t, uint32_t id, const char *name,
				struct arena *a)
{
	struct tp_field f = {.name = arena_strdup(a, name),
			     .type_text = btf_declaration(t, id, "", a),
			     .to = pointee_of(t, id, a)};

	value_of(t, id, &f);
	return f;
}

static const struct btf_type *prototype_of(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_types_at(t, id);

	for (int i = 0; type && i < 3; i++) { /* function or typedef, pointer, prototype */
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC_PROTO)
			return type;
		type = btf_types_at(t, type->type);
	}
	return NULL;
}

/* The prototype of a raw tracepoint's typedef has no parameter names; that of the function which
 * calls the probes (__traceiter_NAME) does. */
static const struct btf_type *named_prototype(struct btf_types *t, enum typed_kind kind,
					      uint32_t id, const char *name, struct arena *a)
{
	const struct btf_type *proto = prototype_of(t, id), *named;
	uint32_t other;

	if (kind == TYPED_FUNCTION || !proto)
		return proto;
	other = btf_types_find(t, TYPED_FUNCTION, arena_printf(a, "__traceiter_%s", name));
	named = other ? prototype_of(t, other) : NULL;
	return named && btf_vlen(named) == btf_vlen(proto) ? named : proto;
}

struct typed_function *btf_types_describe(struct btf_types *t, enum typed_kind kind, uint32_t id,
					  const char *module, struct arena *a)
{
	struct typed_function *f = arena_new_of(a, struct typed_function);
	const struct btf_type *type = btf_types_at(t, id), *proto;
	const struct btf_param *params;
	uint32_t at = 0, first = kind == TYPED_TRACEPOINT; /* 1: private data */
	const char *name = type ? prototype_name(t, type, &kind) : NULL;

	proto = name ? named_prototype(t, kind, id, name, a) : NULL;
	if (!proto || btf_vlen(proto) > PARAMS_MAX)
		return NULL;
	*f = (struct typed_function){.name = arena_strdup(a, name),
				     .module = arena_strdup(a, module),
				     .btf_id = id};
	params = (const struct btf_param *)(proto + 1);
	for (uint32_t i = first; i < btf_vlen(proto); i++) {
		struct tp_field field =
			field_of(t, params[i].type, btf_types_string(t, params[i].name_off), a);
		struct tp_field unused = {0};

		field.offset = at;
		at += value_of(t, params[i].type, &unused);
		arena_push(a, f->params, f->n_params, field);
	}
	f->result = field_of(t, proto->type, "", a);
	return f;
}
