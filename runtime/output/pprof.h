/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as pprof reads it (profile.proto of github.com/google/pprof), while it is made. Its
 * messages may come in any order, so each is written when it is known, mappings at the end. An
 * address in a file is that of the file as linked: it is the same in all processes and on all
 * hosts, so profiles can be merged. All names are escaped.
 */
#pragma once
#include "runtime/base/string_set.h"
#include "runtime/base/vec.h"
#include "runtime/view/format.h"

/* What messages have numbers of. A string's is its index, others count from 1. */
enum pprof_kind { PPROF_STRING, PPROF_MAPPING, PPROF_FUNCTION, PPROF_LOCATION, PPROF_KINDS };

struct pprof_number {
	uint64_t a, b; /* what it is the number of */
	enum pprof_kind kind;
	uint32_t number; /* from 1; 0: a free slot */
};

HASH_TABLE(pprof_numbers, struct pprof_number);

struct pprof_mapping {
	const char *file; /* interned */
	uint32_t file_string, build_id;
	bool has_functions, has_lines, has_inlined;
};

struct pprof {
	struct text_grown body, scratch; /* the messages so far; the one that is being made */
	struct string_set names;
	struct pprof_numbers numbers;
	uint32_t n[PPROF_KINDS];
	VEC(struct pprof_mapping) mappings;
	int error; /* 0 or -ENOMEM */
};

struct pprof_type {
	const char *name, *unit; /* "off-cpu", "nanoseconds" */
};

/* An empty profile with a column of values for each type. */
void pprof_init(struct pprof *p, const struct pprof_type *types, uint32_t n);
void pprof_free(struct pprof *p);

/* Append a sample: its locations, the innermost first, its labels, and its value of type `type` of
 * `n_types`. */
struct pprof_sample {
	VEC(uint32_t) locations;
	VEC(uint32_t) labels; /* the strings of key and value, in turn */
	uint64_t value;
};
void pprof_put_sample(struct pprof *p, const struct pprof_sample *s, uint32_t type,
		      uint32_t n_types);
/* The number of a text. */
uint32_t pprof_string(struct pprof *p, const char *text);
/* Append the locations of a stack. */
void pprof_put_stack(struct pprof *p, struct pprof_sample *s, const struct view_stack *stack);
/* Append one that has only a name. */
void pprof_put_name(struct pprof *p, struct pprof_sample *s, const char *name);
void pprof_comment(struct pprof *p, const char *text);
/* Its period, nanoseconds; it began at `start`, nanoseconds since 1970. */
void pprof_times(struct pprof *p, uint64_t start, uint64_t duration);
/* The end: append the profile, compressed, to `out`. 0, -ENOMEM or -EFBIG. */
int pprof_finish(struct pprof *p, struct text *out);
