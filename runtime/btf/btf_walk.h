/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the types of a raw BTF section in order. Ids count from 1. Each type is checked to lie
 * within the section before it is returned.
 */
#pragma once
#include <linux/btf.h>
#include "runtime/btf/btf_raw.h"

struct btf_walk {
	const uint8_t *next, *end;
	uint32_t id; /* of the type returned last */
	bool is_broken;
};

static inline struct btf_walk btf_walk_start(const struct btf_raw *b)
{
	return (struct btf_walk){.next = b->types, .end = b->types_end};
}

/* Bytes that follow struct btf_type, -1 for an unknown kind. */
static inline int64_t btf_walk_extra(uint32_t info)
{
	int64_t n = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG: return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_ENUM: return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO: return n * sizeof(struct btf_param);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return n * sizeof(struct btf_member);
	case BTF_KIND_DATASEC: return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64: return n * sizeof(struct btf_enum64);
	}
	return -1;
}

/* The next type; NULL at the end, or with is_broken set where the section is invalid. */
static inline const struct btf_type *btf_walk_next(struct btf_walk *w)
{
	const struct btf_type *t = (const struct btf_type *)w->next;
	int64_t left = w->end - w->next - (int64_t)sizeof(*t), extra;

	if (w->next == w->end || w->is_broken)
		return NULL;
	extra = left >= 0 ? btf_walk_extra(t->info) : -1;
	if (extra < 0 || extra > left) {
		w->is_broken = true;
		return NULL;
	}
	w->next += sizeof(*t) + extra;
	w->id++;
	return t;
}
