/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BTF as types of the language (parser/lang/c_type.h). A type is made when it is asked for; the
 * members of a struct when its layout is completed, which reads only that struct.
 */
#pragma once
#include "parser/lang/c_type.h"
#include "runtime/btf/btf_types.h"

/* Structs and enums that were made, by id. */
struct btf_known {
	uint32_t id;
	const struct type *type;
};
HASH_TABLE(btf_known_table, struct btf_known);

struct btf_layouts {
	struct btf_types *types;
	struct btf_layouts *base; /* of a module: vmlinux's; or NULL */
	struct arena *arena;	  /* the answers */
	struct btf_known_table known;
};

void btf_layouts_init(struct btf_layouts *s, struct btf_types *types, struct btf_layouts *base,
		      struct arena *a);
/* Layouts that are not complete remain so. */
void btf_layouts_free(struct btf_layouts *s);
/* Type `id`: without typedefs and qualifiers; void for what scripts cannot read (float, prototypes)
 * and for anything broken. Never NULL. */
const struct type *btf_layouts_type(struct btf_layouts *s, uint32_t id);
/* The struct, union, enum or typedef (or base type) `name` of this section, not of its base. NULL:
 * there is none. */
const struct type *btf_layouts_find(struct btf_layouts *s, enum c_kind kind, const char *name);
/* The enum with the constant `name`; NULL: there is none. */
const struct type *btf_layouts_constant(struct btf_layouts *s, const char *name, int64_t *value);
/* Call fn for the name of each of that kind. */
void btf_layouts_each(const struct btf_layouts *s, enum c_kind kind, kernel_name_fn fn, void *ctx);
