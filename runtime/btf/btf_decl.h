/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of types, and C declarators. Private to btf_text.c and btf_decl.c.
 */
#pragma once
#include <linux/btf.h>
#include <stdbool.h>
#include "runtime/base/hash.h"
#include "runtime/btf/btf_raw.h"
#include "runtime/base/decl.h"

/* Ids of functions by name; the first of a name counts. */
HASH_TABLE(function_ids, uint32_t);

struct btf_text {
	const struct btf_raw *btf;
	const struct btf_text *base; /* for a module the kernel's own, else NULL */
	uint32_t first;		     /* id of the first type; lower ids are the base's */
	uint32_t *places;	     /* offset of type `first + i` from btf->types */
	uint32_t n;
	struct function_ids functions; /* filled at the first lookup */
};

/* NULL: void, or no such type. */
const struct btf_type *btf_text_at(const struct btf_text *t, uint32_t id);
/* The string at a name offset of a type; "" when out of range. */
const char *btf_text_string(const struct btf_text *t, uint32_t at);
/* The name of a type, "" when it has none. */
const char *btf_text_name(const struct btf_text *t, const struct btf_type *type);
/* The data after struct btf_type: members, parameters, values. */
static inline const void *btf_text_extra(const struct btf_type *type)
{
	return type + 1;
}

/* Declare `name` with type `id`: returns the id of the base type (0: void), and in *d the
 * declarator that follows its name. */
uint32_t btf_declare(const struct btf_text *t, uint32_t id, const char *name, struct decl *d);
/* The name of a base type: "struct sock", "struct {…}". */
void btf_bottom_name(const struct btf_text *t, uint32_t id, char *out, size_t size);
