/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C declarators of BTF types: walks from a name through pointers, arrays and functions to the base
 * type, for decl.h.
 */
#include "runtime/btf/btf_decl.h"
#include "parser/base/arena.h"
#include <bpf/btf.h>
#include <stdio.h>

enum { MAX_STEPS = 64 }; /* a longer chain of types is a loop */

static uint32_t declare(const struct btf_types *t, uint32_t id, struct decl *d, int depth);

static void append_param(const struct btf_types *t, const struct btf_param *p, struct decl *d,
			 int depth)
{
	char bottom[DECL_MIDDLE];
	struct decl one;
	uint32_t id;

	if (!p->type) {
		decl_append(d, "...");
		return;
	}
	decl_begin(&one, "");
	id = declare(t, p->type, &one, depth + 1);
	btf_bottom_name(t, id, bottom, sizeof(bottom));
	decl_append(d, one.qualifiers);
	decl_append(d, bottom);
	decl_append(d, decl_text(&one));
}

static void append_params(const struct btf_types *t, const struct btf_type *proto, struct decl *d,
			  int depth)
{
	const struct btf_param *params = btf_params(proto);
	uint32_t n = btf_vlen(proto);

	decl_append(d, "(");
	for (uint32_t i = 0; i < n; i++) {
		decl_append(d, i ? ", " : "");
		if (depth < DECL_DEPTH)
			append_param(t, &params[i], d, depth);
		else
			decl_append(d, "…");
	}
	decl_append(d, n ? ")" : "void)");
}

/* The type behind qualifiers. */
static bool is_pointer_below(const struct btf_types *t, const struct btf_type *type)
{
	for (int step = 0; type && btf_is_mod(type) && step < MAX_STEPS; step++)
		type = btf_types_at(t, type->type);
	return type && btf_is_ptr(type);
}

static void qualify(const struct btf_types *t, const struct btf_type *type, struct decl *d)
{
	static const char *const words[] = {[BTF_KIND_CONST] = "const",
					    [BTF_KIND_VOLATILE] = "volatile",
					    [BTF_KIND_RESTRICT] = "restrict"};

	decl_qualify(d, words[btf_kind(type)], is_pointer_below(t, type));
}

/* One step from the name towards the base type; false at the base type. */
static bool step(const struct btf_types *t, uint32_t *id, struct decl *d, bool *is_pointer,
		 int depth)
{
	const struct btf_type *type = btf_types_at(t, *id);
	const struct btf_array *array;
	char length[16];

	if (!type)
		return false;
	switch (btf_kind(type)) {
	case BTF_KIND_PTR:
		decl_prepend(d, "*");
		*is_pointer = true;
		break;
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT: qualify(t, type, d); break;
	case BTF_KIND_TYPE_TAG: break;
	case BTF_KIND_ARRAY:
		array = btf_array(type);
		decl_bracket(d, is_pointer);
		snprintf(length, sizeof(length), "[%u]", array->nelems);
		decl_append(d, length);
		*id = array->type;
		return true;
	case BTF_KIND_FUNC_PROTO:
		decl_bracket(d, is_pointer);
		append_params(t, type, d, depth);
		break;
	default: return false;
	}
	*id = type->type;
	return true;
}

static uint32_t declare(const struct btf_types *t, uint32_t id, struct decl *d, int depth)
{
	bool is_pointer = false;

	for (int n = 0; n < MAX_STEPS; n++)
		if (!step(t, &id, d, &is_pointer, depth))
			return id;
	d->is_full = true;
	return 0;
}

uint32_t btf_declare(const struct btf_types *t, uint32_t id, const char *name, struct decl *d)
{
	decl_begin(d, name);
	return declare(t, id, d, 0);
}

void btf_bottom_name(const struct btf_types *t, uint32_t id, char *out, size_t size)
{
	const struct btf_type *type = btf_types_at(t, id);
	const char *name = type ? btf_name(t, type) : "void", *word = "";

	switch (type ? btf_kind(type) : BTF_KIND_INT) {
	case BTF_KIND_STRUCT: word = "struct "; break;
	case BTF_KIND_UNION: word = "union "; break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: word = "enum "; break;
	case BTF_KIND_FWD: word = btf_kflag(type) ? "union " : "struct "; break;
	default: break;
	}
	snprintf(out, size, "%s%s", word, *name ? name : "{…}");
}

const char *btf_declaration(const struct btf_types *t, uint32_t id, const char *name,
			    struct arena *a)
{
	char bottom[DECL_MIDDLE];
	struct decl d;

	btf_bottom_name(t, btf_declare(t, id, name, &d), bottom, sizeof(bottom));
	return arena_printf(a, "%s%s%s", d.qualifiers, bottom, decl_text(&d));
}
