/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes the types and functions of a BTF section and prints them as C. Declarators are in
 * btf_decl.c.
 *
 * libbpf's btf_dump is not used: it needs the section loaded by libbpf, which with the search for
 * one name takes 21 ms (dumping takes 0.5 ms); all of `sonde -lv 'struct task_struct'` takes 7 to
 * 13 ms. It would also print every type that the requested one refers to: 878 lines instead of 250.
 */
#define _GNU_SOURCE
#include "runtime/btf/btf_text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/btf/btf_decl.h"
#include "runtime/btf/btf_walk.h"

enum { NEST_MAX = 8 }; /* levels of unnamed structs */

struct btf_text *btf_text_new(const struct btf_raw *b)
{
	return btf_text_new_split(b, NULL);
}

struct btf_text *btf_text_new_split(const struct btf_raw *b, const struct btf_text *base)
{
	/* a type takes at least 12 bytes */
	uint32_t most = (uint32_t)((b->types_end - b->types) / (ptrdiff_t)sizeof(struct btf_type));
	struct btf_text *t = calloc(1, sizeof(*t));
	struct btf_walk w = btf_walk_start(b);
	const struct btf_type *type;

	if (!t)
		return NULL;
	t->btf = b;
	t->base = base;
	t->first = base ? base->first + base->n : 1;
	t->places = malloc((most + 1) * sizeof(*t->places));
	while (t->places && (type = btf_walk_next(&w)))
		t->places[t->n++] = (uint32_t)((const uint8_t *)type - b->types);
	if (t->places && !w.is_broken)
		return t;
	btf_text_free(t);
	return NULL;
}

void btf_text_free(struct btf_text *t)
{
	if (!t)
		return;
	free(t->places);
	hash_free(&t->functions);
	free(t);
}

/* ---- by name ------------------------------------------------------------------------------- */

static uint64_t function_ids_hash(const char *name)
{
	return hash_string(name);
}

static bool function_ids_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static const char *function_ids_key(const struct function_ids *h, const uint32_t *id)
{
	const struct btf_text *t = HASH_TABLE_OWNER(h, struct btf_text, functions);

	return btf_text_name(t, btf_text_at(t, *id));
}

static bool function_ids_is_free(const uint32_t *id)
{
	return !*id;
}

HASH_TABLE_FUNCTIONS(function_ids, uint32_t, const char *)

static int index_functions(struct btf_text *t)
{
	uint32_t n = 0;

	for (uint32_t id = t->first; id < t->first + t->n; id++)
		n += BTF_INFO_KIND(btf_text_at(t, id)->info) == BTF_KIND_FUNC;
	if (function_ids_reserve(&t->functions, n))
		return -ENOMEM;
	for (uint32_t id = t->first; id < t->first + t->n; id++) {
		const struct btf_type *type = btf_text_at(t, id);

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !function_ids_find(&t->functions, btf_text_name(t, type)) &&
		    function_ids_insert(&t->functions, id))
			return -ENOMEM;
	}
	return 0;
}

uint32_t btf_text_function(struct btf_text *t, const char *name)
{
	const uint32_t *id;

	if (!t->functions.n_slots && index_functions(t))
		return 0;
	id = function_ids_find(&t->functions, name);
	return id ? *id : 0;
}

uint32_t btf_text_type(struct btf_text *t, const char *name, uint32_t kind)
{
	int id = btf_raw_find(t->btf, name, kind);

	return id > 0 ? (uint32_t)id : 0;
}

void btf_text_each(struct btf_text *t, uint32_t kind, void (*fn)(const char *name, void *ctx),
		   void *ctx)
{
	for (uint32_t id = t->first; id < t->first + t->n; id++) {
		const struct btf_type *type = btf_text_at(t, id);

		if (BTF_INFO_KIND(type->info) == kind && *btf_text_name(t, type))
			fn(btf_text_name(t, type), ctx);
	}
}

/* ---- functions ----------------------------------------------------------------------------- */

static const struct btf_type *proto_of(const struct btf_text *t, uint32_t id)
{
	const struct btf_type *f = btf_text_at(t, id), *proto;

	if (!f || BTF_INFO_KIND(f->info) != BTF_KIND_FUNC)
		return NULL;
	proto = btf_text_at(t, f->type);
	return proto && BTF_INFO_KIND(proto->info) == BTF_KIND_FUNC_PROTO ? proto : NULL;
}

static void print_declaration(const struct btf_text *t, uint32_t id, const char *name, FILE *out)
{
	char bottom[DECL_MIDDLE];
	struct decl d;
	uint32_t at = btf_declare(t, id, name, &d);

	btf_bottom_name(t, at, bottom, sizeof(bottom));
	fprintf(out, "%s%s%s", d.qualifiers, bottom, decl_text(&d));
}

/* "TYPE NAME", with a blank before the name whatever the type ends with. */
static void print_line(const struct btf_text *t, uint32_t id, const char *name, FILE *out)
{
	char spaced[DECL_MIDDLE];

	snprintf(spaced, sizeof(spaced), " %s", name);
	fputs("    ", out);
	print_declaration(t, id, spaced, out);
	fputc('\n', out);
}

void btf_text_params(const struct btf_text *t, uint32_t id, uint32_t first, bool numbered,
		     FILE *out)
{
	const struct btf_type *proto = proto_of(t, id);
	const struct btf_param *params = proto ? btf_text_extra(proto) : NULL;
	char number[16];

	for (uint32_t i = first; proto && i < BTF_INFO_VLEN(proto->info); i++) {
		const char *name = btf_text_string(t, params[i].name_off);

		snprintf(number, sizeof(number), "arg%u", i - first);
		if (!params[i].type)
			fputs("    ...\n", out);
		else
			print_line(t, params[i].type, numbered || !*name ? number : name, out);
	}
}

void btf_text_result(const struct btf_text *t, uint32_t id, FILE *out)
{
	const struct btf_type *proto = proto_of(t, id);

	if (proto && proto->type)
		print_line(t, proto->type, "retval", out);
	else if (proto)
		fputs("    void\n", out);
}

/* ---- structs ------------------------------------------------------------------------------- */

static bool has_members(const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT ||
	       BTF_INFO_KIND(type->info) == BTF_KIND_UNION;
}

static const char *member_name(const struct btf_text *t, const struct btf_member *m)
{
	return btf_text_string(t, m->name_off);
}

/* Iterators wrap their pointers into unnamed unions; the first member is the pointer. */
static const struct btf_member *named_member(const struct btf_text *t, const struct btf_member *m)
{
	const struct btf_type *type = btf_text_at(t, m->type);

	if (!*member_name(t, m) && type && has_members(type) && BTF_INFO_VLEN(type->info))
		return btf_text_extra(type);
	return m;
}

void btf_text_members(const struct btf_text *t, uint32_t id, uint32_t first, FILE *out)
{
	const struct btf_type *type = btf_text_at(t, id);
	const struct btf_member *members = type ? btf_text_extra(type) : NULL;

	for (uint32_t i = first; type && has_members(type) && i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_member *m = named_member(t, &members[i]);

		print_line(t, m->type, member_name(t, m), out);
	}
}

static void print_body(const struct btf_text *t, const struct btf_type *type, int depth, FILE *out);

static void indent(int depth, FILE *out)
{
	for (int i = 0; i < depth; i++)
		fputc('\t', out);
}

static bool is_compound(const struct btf_type *type)
{
	uint32_t kind = type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;

	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM ||
	       kind == BTF_KIND_ENUM64;
}

/* A member. An unnamed type is written out in place. */
static void print_member(const struct btf_text *t, const struct btf_type *parent,
			 const struct btf_member *m, int depth, FILE *out)
{
	uint32_t bits = BTF_INFO_KFLAG(parent->info) ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0;
	char bottom_name[DECL_MIDDLE];
	const struct btf_type *bottom;
	struct decl d;
	uint32_t id = btf_declare(t, m->type, member_name(t, m), &d);

	bottom = btf_text_at(t, id);
	indent(depth, out);
	fputs(d.qualifiers, out);
	if (is_compound(bottom) && !*btf_text_name(t, bottom) && depth < NEST_MAX) {
		print_body(t, bottom, depth, out);
	} else {
		btf_bottom_name(t, id, bottom_name, sizeof(bottom_name));
		fputs(bottom_name, out);
	}
	fputs(decl_text(&d), out);
	if (bits)
		fprintf(out, ": %u", bits);
	fputs(";\n", out);
}

static void print_values(const struct btf_text *t, const struct btf_type *type, int depth,
			 FILE *out)
{
	bool is_signed = BTF_INFO_KFLAG(type->info);
	const struct btf_enum64 *wide = btf_text_extra(type);
	const struct btf_enum *narrow = btf_text_extra(type);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		bool is_wide = BTF_INFO_KIND(type->info) == BTF_KIND_ENUM64;
		uint32_t name = is_wide ? wide[i].name_off : narrow[i].name_off;
		uint64_t bits = is_wide	    ? (uint64_t)wide[i].val_hi32 << 32 | wide[i].val_lo32
				: is_signed ? (uint64_t)(int64_t)narrow[i].val
					    : (uint32_t)narrow[i].val;

		indent(depth, out);
		fprintf(out, is_signed ? "%s = %lld,\n" : "%s = %llu,\n", btf_text_string(t, name),
			(long long)bits);
	}
}

static void print_body(const struct btf_text *t, const struct btf_type *type, int depth, FILE *out)
{
	const struct btf_member *members = btf_text_extra(type);
	const char *name = btf_text_name(t, type);

	fprintf(out, "%s %s%s{\n",
		BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT  ? "struct"
		: BTF_INFO_KIND(type->info) == BTF_KIND_UNION ? "union"
							      : "enum",
		name, *name ? " " : "");
	if (!has_members(type))
		print_values(t, type, depth + 1, out);
	for (uint32_t i = 0; has_members(type) && i < BTF_INFO_VLEN(type->info); i++)
		print_member(t, type, &members[i], depth + 1, out);
	indent(depth, out);
	fputc('}', out);
}

void btf_text_definition(const struct btf_text *t, uint32_t id, FILE *out)
{
	const struct btf_type *type = btf_text_at(t, id);

	if (!is_compound(type))
		return;
	print_body(t, type, 0, out);
	fputs(";\n", out);
}
