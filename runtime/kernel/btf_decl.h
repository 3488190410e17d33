/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of types and C declarators, for btf_text.c and btf_decl.c only.
 */
#pragma once
#include <linux/btf.h>
#include <stdbool.h>
#include "runtime/base/hash.h"
#include "runtime/kernel/btf_raw.h"
#include "runtime/elf/decl.h"

/* Ids of functions by name; the first of a name counts. */
HASH_TABLE(function_ids, uint32_t);

struct btf_text {
	const struct btf_raw *btf;
	const struct btf_text *base; /* of a module's: the kernel's own; else NULL */
	uint32_t first;		     /* id of the first type here; those before are the base's */
	uint32_t *places;	     /* of type id - first, in bytes from btf->types */
	uint32_t n;
	struct function_ids functions; /* filled when the first is asked for */
};

/* NULL: void, or no such type. */
const struct btf_type *btf_text_at(const struct btf_text *t, uint32_t id);
/* The string at an offset as types have it; "" when there is none. */
const char *btf_text_string(const struct btf_text *t, uint32_t at);
/* "" when it has none. */
const char *btf_text_name(const struct btf_text *t, const struct btf_type *type);
/* What follows the head of a type: members, parameters, values. */
static inline const void *btf_text_extra(const struct btf_type *type)
{
	return type + 1;
}

/* Declare `name` as of type `id`: *d is what stands behind the name of the type at the bottom,
 * whose id is returned (0: void). */
uint32_t btf_declare(const struct btf_text *t, uint32_t id, const char *name, struct decl *d);
/* The name of that type: "struct sock", "struct {…}". */
void btf_bottom_name(const struct btf_text *t, uint32_t id, char *out, size_t size);
