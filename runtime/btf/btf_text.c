/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints types and functions of a BTF section as C. Declarators are in btf_decl.c.
 *
 * libbpf's btf_dump is not used: it needs the section loaded by libbpf, which with the search for
 * one name takes 21 ms (dumping takes 0.5 ms); all of `sonde -lv 'struct task_struct'` takes 7 to
 * 13 ms. It would also print every type that the requested one refers to: 878 lines instead of 250.
 */
#include "runtime/btf/btf_text.h"
#include <bpf/btf.h>
#include "runtime/btf/btf_decl.h"

enum { NEST_MAX = 8 }; /* levels of unnamed structs */

/* ---- functions ----------------------------------------------------------------------------- */

static const struct btf_type *proto_of(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *f = btf_types_at(t, id);
	const struct btf_type *proto = f && btf_is_func(f) ? btf_types_at(t, f->type) : NULL;

	return proto && btf_is_func_proto(proto) ? proto : NULL;
}

static void print_declaration(const struct btf_types *t, uint32_t id, const char *name, FILE *out)
{
	char bottom[DECL_MIDDLE];
	struct decl d;
	uint32_t at = btf_declare(t, id, name, &d);

	btf_bottom_name(t, at, bottom, sizeof(bottom));
	fprintf(out, "%s%s%s", d.qualifiers, bottom, decl_text(&d));
}

/* "TYPE NAME", with a blank before the name whatever the type ends with. */
static void print_line(const struct btf_types *t, uint32_t id, const char *name, FILE *out)
{
	char spaced[DECL_MIDDLE];

	snprintf(spaced, sizeof(spaced), " %s", name);
	fputs("    ", out);
	print_declaration(t, id, spaced, out);
	fputc('\n', out);
}

void btf_text_params(const struct btf_types *t, uint32_t id, uint32_t first, bool numbered,
		     FILE *out)
{
	const struct btf_type *proto = proto_of(t, id);
	const struct btf_param *params = proto ? btf_params(proto) : NULL;
	char number[16];

	for (uint32_t i = first; proto && i < btf_vlen(proto); i++) {
		const char *name = btf_types_string(t, params[i].name_off);

		snprintf(number, sizeof(number), "arg%u", i - first);
		if (!params[i].type)
			fputs("    ...\n", out);
		else
			print_line(t, params[i].type, numbered || !*name ? number : name, out);
	}
}

void btf_text_result(const struct btf_types *t, uint32_t id, FILE *out)
{
	const struct btf_type *proto = proto_of(t, id);

	if (proto && proto->type)
		print_line(t, proto->type, "retval", out);
	else if (proto)
		fputs("    void\n", out);
}

/* ---- structs ------------------------------------------------------------------------------- */

static const char *member_name(const struct btf_types *t, const struct btf_member *m)
{
	return btf_types_string(t, m->name_off);
}

/* Iterators wrap their pointers into unnamed unions; the first member is the pointer. */
static const struct btf_member *named_member(const struct btf_types *t, const struct btf_member *m)
{
	const struct btf_type *type = btf_types_at(t, m->type);

	if (!*member_name(t, m) && type && btf_is_composite(type) && btf_vlen(type))
		return btf_members(type);
	return m;
}

void btf_text_members(const struct btf_types *t, uint32_t id, uint32_t first, FILE *out)
{
	const struct btf_type *type = btf_types_at(t, id);
	const struct btf_member *members = type ? btf_members(type) : NULL;

	for (uint32_t i = first; type && btf_is_composite(type) && i < btf_vlen(type); i++) {
		const struct btf_member *m = named_member(t, &members[i]);

		print_line(t, m->type, member_name(t, m), out);
	}
}

static void print_body(const struct btf_types *t, const struct btf_type *type, int depth,
		       FILE *out);

static void indent(int depth, FILE *out)
{
	for (int i = 0; i < depth; i++)
		fputc('\t', out);
}

static bool is_compound(const struct btf_type *type)
{
	return type && (btf_is_composite(type) || btf_is_any_enum(type));
}

/* A member. An unnamed type is written out in place. */
static void print_member(const struct btf_types *t, const struct btf_type *parent,
			 const struct btf_member *m, int depth, FILE *out)
{
	uint32_t bits = btf_kflag(parent) ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0;
	char bottom_name[DECL_MIDDLE];
	const struct btf_type *bottom;
	struct decl d;
	uint32_t id = btf_declare(t, m->type, member_name(t, m), &d);

	bottom = btf_types_at(t, id);
	indent(depth, out);
	fputs(d.qualifiers, out);
	if (is_compound(bottom) && !*btf_name(t, bottom) && depth < NEST_MAX) {
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

static void print_values(const struct btf_types *t, const struct btf_type *type, int depth,
			 FILE *out)
{
	bool is_signed = btf_kflag(type), is_wide = btf_is_enum64(type);
	const struct btf_enum64 *wide = btf_enum64(type);
	const struct btf_enum *narrow = btf_enum(type);

	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		uint32_t name = is_wide ? wide[i].name_off : narrow[i].name_off;
		uint64_t bits = is_wide	    ? btf_enum64_value(&wide[i])
				: is_signed ? (uint64_t)(int64_t)narrow[i].val
					    : (uint32_t)narrow[i].val;

		indent(depth, out);
		fprintf(out, is_signed ? "%s = %lld,\n" : "%s = %llu,\n", btf_types_string(t, name),
			(long long)bits);
	}
}

static void print_body(const struct btf_types *t, const struct btf_type *type, int depth, FILE *out)
{
	const struct btf_member *members = btf_members(type);
	const char *name = btf_name(t, type);

	fprintf(out, "%s %s%s{\n",
		btf_is_struct(type)  ? "struct"
		: btf_is_union(type) ? "union"
				     : "enum",
		name, *name ? " " : "");
	if (!btf_is_composite(type))
		print_values(t, type, depth + 1, out);
	for (uint32_t i = 0; btf_is_composite(type) && i < btf_vlen(type); i++)
		print_member(t, type, &members[i], depth + 1, out);
	indent(depth, out);
	fputc('}', out);
}

void btf_text_definition(const struct btf_types *t, uint32_t id, FILE *out)
{
	const struct btf_type *type = btf_types_at(t, id);

	if (!is_compound(type))
		return;
	print_body(t, type, 0, out);
	fputs(";\n", out);
}
