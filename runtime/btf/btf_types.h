/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BTF by id and by name: the offset of each type of a raw section, and the prototypes of functions.
 * A module's ids continue after those of its base, vmlinux.
 */
#pragma once
#include "parser/base/prototype.h"
#include "runtime/base/hash.h"
#include "runtime/btf/btf_raw.h"

struct arena;

/* Ids of functions and raw tracepoints by name; the first of a name counts. */
HASH_TABLE(typed_ids, uint32_t);

struct btf_types {
	const struct btf_raw *raw;
	const struct btf_types *base; /* NULL: ids begin at 1 */
	uint32_t *at;		      /* by id - first: offset from the first type */
	uint32_t first;		      /* the first id of this section */
	uint32_t n;		      /* types in it */
	struct typed_ids named;
	uint32_t n_scans;
};

/* Both must outlive *t. 0, -EINVAL (broken section), -ENOMEM. */
int btf_types_init(struct btf_types *t, const struct btf_raw *raw, const struct btf_types *base);
void btf_types_free(struct btf_types *t);
struct btf_type;
/* Type `id`; NULL: there is none. */
const struct btf_type *btf_types_at(const struct btf_types *t, uint32_t id);
/* The same without typedefs and qualifiers; NULL: void, or a broken section. */
const struct btf_type *btf_types_plain(const struct btf_types *t, uint32_t id);
/* The string at an offset; "" if there is none. */
const char *btf_types_string(const struct btf_types *t, uint32_t at);
/* Id of the function or raw tracepoint `name` of this section, not of its base's; 0. */
uint32_t btf_types_find(struct btf_types *t, enum typed_kind kind, const char *name);
/* Call fn for the name of each function or raw tracepoint. */
void btf_types_each(const struct btf_types *t, enum typed_kind kind,
		    void (*fn)(const char *name, uint32_t id, void *ctx), void *ctx);
/* The prototype of type `id`, as one of those found it, allocated in `a`. NULL: a broken
 * section. */
struct typed_function *btf_types_describe(struct btf_types *t, enum typed_kind kind, uint32_t id,
					  const char *module, struct arena *a);
