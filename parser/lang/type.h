/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of expressions, variables, keys and map values. Most are constants. Equal types may be
 * different objects (strings of one size, for example), so compare with type_equal().
 */
#pragma once
#include "parser/lang/stack_word.h"
#include <string.h>

struct arena;

enum type_kind {
#define TYPE_KIND(id, ...) TY_##id,
#include "parser/lang/type_kinds.def"
};
enum { TY_KINDS = TY_STRUCT + 1 };

/* How values of a kind are read, compared and shown. */
enum type_shape {
	SHAPE_NONE,
	SHAPE_BOOL,
	SHAPE_INT,
	SHAPE_FLOAT,	/* programs in the kernel copy it and do not compute with it */
	SHAPE_ADDRESS,	/* an integer that is shown in hexadecimal digits */
	SHAPE_STRING,	/* bytes of the value itself, up to a NUL */
	SHAPE_BUFFER,	/* likewise, with a length */
	SHAPE_DEFERRED, /* turned into a string by user space: runtime/events/deferred_strings.c */
	SHAPE_STACK,
	SHAPE_AGG,
	SHAPE_PARTS, /* members or elements */
};

/* Aggregations: the rows of aggs.def. */
enum agg_kind {
	AGG_NONE,
#define AGG_ROW(id, ...) AGG_##id,
#include "parser/lang/aggs.def"
	AGG_KIND_COUNT,
};

/* The clock that a time was read from: the words of `nsecs`, in the order of its signature. */
enum type_clock { NSECS_BOOT, NSECS_MONOTONIC, NSECS_TAI, NSECS_SW_TAI };

/* The memory that an address is in. SPACE_BOTH: a struct was copied from both. */
enum type_space { SPACE_NONE, SPACE_KERNEL, SPACE_USER, SPACE_BOTH };
enum { N_SPACES = SPACE_BOTH + 1 };

/* A member of a tuple, a record, or a struct or union of C. */
struct type_member {
	const char *name; /* records; of a struct NULL: it has none, see layout_find() */
	const struct type *type;
	uint32_t offset; /* bytes */
	/* Bit-fields of a struct: `bits` bits, of which the lowest is bit `bit` (0 to 7) of the
	 * byte at `offset`; the others follow. bits 0: not a bit-field. */
	uint8_t bit, bits;
	bool is_used; /* layout_find() found it */
};

struct type_layout; /* c_type.h */
struct type_enum;

struct type {
	enum type_kind kind;
	uint32_t size;	/* bytes in memory */
	uint32_t align; /* bytes */
	bool is_signed; /* TY_INT; TY_AGG: of the summed integer */
	/* TY_STRING: without a NUL it is full, not cut; types are equal without it */
	bool is_chars;
	enum agg_kind agg;
	const struct type_member *members; /* TY_STRUCT: see layout_complete_whole() */
	uint32_t n_members;
	const struct type *to;
	/* TY_POINTER; TY_INT: of an address, by kptr() or uptr(); TY_STRUCT: of what it was copied
	 * from, layout_in_space() */
	enum type_space space;
	/* TY_INT: the memory that the value is an address in if it is one, since it was made from
	 * such an address or came from the traced program; types are equal without it */
	enum type_space from;
	enum type_clock clock; /* TY_TIMESTAMP; TY_INT: of a time, by nsecs(tai) and the like */
	enum stack_form form;  /* TY_KSTACK, TY_USTACK */
	const char *format;    /* TY_TIMESTAMP */
	const char *name;      /* TY_VOID: the C type that a pointer points to */
	const char *file;      /* TY_VOID: the program whose type that is; NULL: the kernel's */
	struct type_layout *layout;	     /* TY_STRUCT */
	const struct type_enum *enumeration; /* TY_INT: of an enum of C; or NULL */
	/* hist: k; quantiles: QUANTILES_K; lhist: min, max, step; tseries: interval, n, enum
	 * series_op; TY_CALL: call_type(); else 0 */
	int64_t scale[3];
};

extern const struct type type_error, type_void, type_bool, type_kstack, type_ustack, type_ksym,
	type_usym, type_username, type_name, type_inet, type_mac, type_gfp, type_float, type_double,
	type_long_double;
/* As a script names them, without the format that the values have: only declarations and sizeof
 * have these. */
extern const struct type type_time, type_cgroup;

/* Rows of type_kinds.def. */
struct type_kind_row {
	enum type_shape shape;
	const char *word;	  /* in recordings */
	const char *typeinfo;	  /* typeinfo(x).base_ty */
	const struct type *plain; /* the type, of a kind that has one only; or NULL */
};

extern const struct type_kind_row type_kinds[TY_KINDS];

static inline enum type_shape type_shape(const struct type *t)
{
	return type_kinds[t->kind].shape;
}

/* The type of stacks that are written in `form`. */
const struct type *type_kstack_as(enum stack_form form);
const struct type *type_ustack_as(enum stack_form form);

/* The integer type of `size` bytes (1, 2, 4, 8). */
const struct type *type_int(uint32_t size, bool is_signed);
/* An integer as variables, maps and records hold it: of 64 bits. */
const struct type *type_wide(const struct type *t);
/* The integer type of an enum, without the names of its values; any other type unchanged. */
const struct type *type_plain_int(const struct type *t);
/* A 64-bit integer that is a time of a clock, or an address in a space. */
const struct type *type_tagged(struct arena *a, bool is_signed, enum type_clock clock,
			       enum type_space space);
/* Is it tagged so? */
static inline bool type_is_tagged(const struct type *t)
{
	return t->kind == TY_INT && (t->clock != NSECS_BOOT || t->space != SPACE_NONE);
}
/* True for the name of a type that scripts can contain. */
bool type_is_name(const char *name);
/* The i-th name of a type in scripts; NULL after the last. */
const char *type_name_at(uint32_t i);
struct nearest;
/* How a script makes a value of a type that messages name but scripts cannot declare: "ksym_t" is
 * made by "ksym(address)". NULL: it is no such type. */
const char *type_made_by(const char *name);
/* Add all these names to a search for suggestions. */
void type_offer_names(struct nearest *near, bool (*offer)(struct nearest *, const char *));
/* The type of that name, without suffixes; NULL: there is none. */
const struct type *type_of_name(const char *name);
/* The floating-point type that a language calls so: "double", "f32"; NULL: there is none. */
const struct type *type_float_named(const char *name);
/* Is it `duration`, a number of nanoseconds? */
bool type_is_duration_name(const char *name);
/* Is it `string`, whose brackets contain a size? */
bool type_is_string_name(const char *name);
/* string[size]; 0: any size, for declarations and casts only. */
const struct type *type_string(struct arena *a, uint32_t size);
/* A string in `char x[size]` of C, which has no NUL if it is full. */
const struct type *type_chars(struct arena *a, uint32_t size);
enum { BUFFER_HEAD = 4 }; /* its length */
/* buffer[n] */
const struct type *type_buffer(struct arena *a, uint32_t n);
/* Is it `buffer` or `inet`, whose brackets contain a size too? */
bool type_is_sized_name(const char *name);
/* The type of an aggregation over integers of `value`'s sign. */
const struct type *type_agg(enum agg_kind agg, bool is_signed);
/* The type of hist, lhist or quantiles with that scale of buckets. */
const struct type *type_buckets(struct arena *a, enum agg_kind agg, const int64_t scale[3]);
/* The type's name in messages and dumps: "uint64", "string[16]", "kstack", "count_t". */
const char *type_str(struct arena *a, const struct type *t);
/* The type that can hold values of both; NULL if there is none. */
const struct type *type_unify(const struct type *x, const struct type *y);
/* A tuple or record of `n` members; sets their offsets. */
const struct type *type_tuple(struct arena *a, bool is_record, struct type_member *members,
			      uint32_t n);
/* What a pointer points to whose C type is known by name only. */
const struct type *type_opaque(struct arena *a, const char *name);
/* A pointer to `to`. */
const struct type *type_pointer(struct arena *a, const struct type *to, enum type_space space);
/* An array of `n` elements, aligned to 8 in sonde's own memory. In a struct n may be 0. */
const struct type *type_array(struct arena *a, const struct type *elem, uint32_t n);
/* Index of the member that `.name` reads (a number in a tuple), or -1. */
int type_member_index(const struct type *t, const char *name);
/* Compare what types refer to: members, pointees, layouts, enumerations. */
bool type_equal_parts(const struct type *x, const struct type *y);

static inline bool type_equal(const struct type *x, const struct type *y)
{
	if (x == y)
		return true;
	return x->kind == y->kind && x->size == y->size && x->is_signed == y->is_signed &&
	       x->agg == y->agg && x->form == y->form && x->scale[0] == y->scale[0] &&
	       x->scale[1] == y->scale[1] && x->scale[2] == y->scale[2] &&
	       (x->kind != TY_TIMESTAMP || x->clock == y->clock) &&
	       (x->format == y->format ||
		(x->format && y->format && !strcmp(x->format, y->format))) &&
	       type_equal_parts(x, y);
}

static inline bool type_is_compound(const struct type *t)
{
	return t->kind == TY_TUPLE || t->kind == TY_RECORD;
}

static inline uint32_t type_elements(const struct type *array)
{
	return array->to->size ? array->size / array->to->size : 0;
}

/* Parts of a tuple, record, array or struct; those of records and structs have names. */
static inline uint32_t type_parts(const struct type *t)
{
	return t->kind == TY_ARRAY ? type_elements(t) : t->n_members;
}

static inline bool type_has_names(const struct type *t)
{
	return t->kind == TY_RECORD || t->kind == TY_STRUCT;
}

/* Is a value of this type in memory, not in a register? */
static inline bool type_is_memory(const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_BUFFER || t->kind == TY_USYM ||
	       t->kind == TY_INET || t->kind == TY_MAC || t->kind == TY_ARRAY ||
	       t->kind == TY_STRUCT || t->kind == TY_FLOAT || t->kind == TY_CALL ||
	       type_is_compound(t);
}

/* A value in memory that is compared as a whole, whatever its parts. */
static inline bool type_is_bytes(const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_BUFFER || t->kind == TY_INET ||
	       t->kind == TY_MAC;
}

static inline bool type_is_integral(const struct type *t)
{
	return t->kind == TY_INT || t->kind == TY_BOOL;
}
