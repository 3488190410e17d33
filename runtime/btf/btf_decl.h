/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C declarators of BTF types. Private to btf_text.c and btf_decl.c.
 */
#pragma once
#include <linux/btf.h>
#include "runtime/base/decl.h"
#include "runtime/btf/btf_types.h"

/* The name of a type, "" when it has none. */
static inline const char *btf_name(const struct btf_types *t, const struct btf_type *type)
{
	return btf_types_string(t, type->name_off);
}

/* Declare `name` with type `id`: returns the id of the base type (0: void), and in *d the
 * declarator that follows its name. */
uint32_t btf_declare(const struct btf_types *t, uint32_t id, const char *name, struct decl *d);
/* The name of a base type: "struct sock", "struct {…}". */
void btf_bottom_name(const struct btf_types *t, uint32_t id, char *out, size_t size);
/* The declaration of `name`, "" for the type alone, in `a`. */
const char *btf_declaration(const struct btf_types *t, uint32_t id, const char *name,
			    struct arena *a);
