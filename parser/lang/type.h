/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of expressions, variables, keys and map values. All but the strings are constants; two
 * strings of one size are the same type though they may be two objects: compare with type_equal.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct arena;

enum type_kind {
	TY_ERROR,  /* something was wrong and has been said: silences what follows from it */
	TY_VOID,   /* statements-only calls */
	TY_BOOL,   /* 1 byte in memory */
	TY_INT,	   /* 1, 2, 4 or 8 bytes in memory, 64 bits in registers */
	TY_STRING, /* size bytes, NUL inside or full */
	TY_KSTACK, /* 8 bytes: hash of the frames, see bpf_helpers/shared.h; 0 is "no stack" */
	TY_USTACK, /* 8 bytes, likewise */
	TY_AGG,	   /* map values only; .agg says which */
	/* Put into words by user space (runtime/session/deferred_strings.c): */
	TY_KSYM,      /* 8 bytes: an address of the kernel */
	TY_USYM,      /* 16 bytes: an address, uint32 process id, uint32 execve count */
	TY_USERNAME,  /* 8 bytes: a user id */
	TY_TIMESTAMP, /* 8 bytes: nanoseconds since boot; .format is strftime's */
	TY_NAME,      /* 4 bytes: index in plan->names, of a function or attach point */
	TY_TUPLE,     /* .members, at their offsets; padding is zero, so that keys compare */
	TY_RECORD,    /* likewise, with names */
	TY_POINTER,   /* 8 bytes: an address of .to in .space */
	TY_ARRAY,     /* .size / .to->size elements of .to: type_elements */
};

/* Aggregations: the rows of aggs.def. */
enum agg_kind {
	AGG_NONE,
#define AGG_ROW(id, ...) AGG_##id,
#include "parser/lang/aggs.def"
#undef AGG_ROW
	AGG_KIND_COUNT,
};

/* Whose memory an address is of. */
enum type_space { SPACE_NONE, SPACE_KERNEL, SPACE_USER };

struct type_member {
	const char *name; /* records */
	const struct type *type;
	uint32_t offset;
};

struct type {
	enum type_kind kind;
	uint32_t size;	/* bytes in memory */
	uint32_t align; /* bytes */
	bool is_signed; /* TY_INT; TY_AGG: of the summed integer */
	enum agg_kind agg;
	const struct type_member *members;
	uint32_t n_members;
	const struct type *to;
	enum type_space space;
	const char *format; /* TY_TIMESTAMP */
	const char *name;   /* TY_VOID: what there is, of which only the address is of use */
	int64_t scale[3];   /* hist: k; quantiles: QUANTILES_K; lhist: min, max, step; else 0 */
};

extern const struct type type_error, type_void, type_bool, type_kstack, type_ustack, type_ksym,
	type_usym, type_username, type_name;

/* The integer type of `size` bytes (1, 2, 4, 8). */
const struct type *type_int(uint32_t size, bool is_signed);
/* True for the name of a type that scripts can spell. */
bool type_is_name(const char *name);
struct nearest;
/* Offer every such name. */
void type_offer_names(struct nearest *near, bool (*offer)(struct nearest *, const char *));
/* The type of that name, without suffixes; NULL for one that is none or not built. */
const struct type *type_of_name(struct arena *a, const char *name);
/* Is it that of strings, whose bracket is a size? */
bool type_is_string_name(const char *name);
/* string[size]; 0: of any size, which only a declaration or a cast can mean. */
const struct type *type_string(struct arena *a, uint32_t size);
/* The type of an aggregation over integers of `value`'s sign. */
const struct type *type_agg(enum agg_kind agg, bool is_signed);
/* The type of hist, lhist, quantiles with their buckets' scale. */
const struct type *type_buckets(struct arena *a, enum agg_kind agg, const int64_t scale[3]);
/* The type's name in messages and dumps: "uint64", "string[16]", "kstack", "count_t". */
const char *type_str(struct arena *a, const struct type *t);
/* Type that can hold values of both; NULL when there is none. */
const struct type *type_unify(const struct type *x, const struct type *y);
/* A tuple or record of `n` members, whose offsets are filled in here. */
const struct type *type_tuple(struct arena *a, bool is_record, struct type_member *members,
			      uint32_t n);
/* A pointer to `to`. */
const struct type *type_pointer(struct arena *a, const struct type *to, enum type_space space);
/* Is what `t` points to in user space? A pointer says so itself, a plain address does not. */
bool type_is_in_user_space(const struct type *t, bool otherwise);
/* `n` elements of integers, booleans or pointers. Begins at a multiple of 8 wherever it is. */
const struct type *type_array(struct arena *a, const struct type *elem, uint32_t n);
/* Index of the member that `.name` reads, -1 when there is none: a number in a tuple. */
int type_member_index(const struct type *t, const char *name);
/* Both of compound types, member by member. */
bool type_equal_members(const struct type *x, const struct type *y);

static inline bool type_equal(const struct type *x, const struct type *y)
{
	if (x == y)
		return true;
	return x->kind == y->kind && x->size == y->size && x->is_signed == y->is_signed &&
	       x->agg == y->agg && x->scale[0] == y->scale[0] && x->scale[1] == y->scale[1] &&
	       x->scale[2] == y->scale[2] &&
	       (x->format == y->format ||
		(x->format && y->format && !strcmp(x->format, y->format))) &&
	       type_equal_members(x, y);
}

static inline bool type_is_compound(const struct type *t)
{
	return t->kind == TY_TUPLE || t->kind == TY_RECORD;
}

static inline uint32_t type_elements(const struct type *array)
{
	return array->size / array->to->size;
}

/* Is a value of it a piece of memory, not a register? */
static inline bool type_is_memory(const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_USYM || t->kind == TY_ARRAY ||
	       type_is_compound(t);
}

static inline bool type_is_integral(const struct type *t)
{
	return t->kind == TY_INT || t->kind == TY_BOOL;
}
