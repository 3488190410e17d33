/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of C: structs, unions, enums and typedefs, and a script's register of their names.
 *
 * A struct or union is a TY_STRUCT; its `layout` lists the members. An enum is a TY_INT; its
 * `enumeration` lists the values. Two named ones with the same tag are the same type.
 *
 * They come from BTF (runtime/kernel/btf_layout.c), from a facts file, or from a script. BTF has
 * 10,000 structs that refer to each other, so a layout is made when something first refers to it
 * and gets its members only when layout_complete() is called. After that, or if it has no
 * `complete`, it does not change.
 *
 * A script's definitions go to program->c_types: for each struct layout_new(), layout_add() for
 * each member in order, layout_finish(), c_types_add(&layout->type). A tag that is used before its
 * definition is c_types_tag(), which is completed by the definition, or else at first use from the
 * kernel. For an enum enum_new(), enum_add(), c_types_add(&enumeration->type) and
 * c_types_add_constant().
 */
#pragma once
#include "parser/lang/type.h"
#include <stddef.h>

struct kernel;

/* The name spaces of C, as far as sonde distinguishes them. */
enum c_kind { C_STRUCT, C_UNION, C_ENUM, C_TYPEDEF, C_CONSTANT };

struct type_layout {
	struct type type;  /* its type; .size is 0 until the size is known */
	const char *tag;   /* NULL: it has none */
	const char *alias; /* without a tag: the name of a typedef of it; or NULL */
	bool is_union;
	bool is_packed;
	uint32_t align; /* as C aligns it */
	uint64_t end;	/* while members are added: the first free bit */
	struct type_member *members;
	uint32_t n_members;
	bool is_complete; /* false: only declared, or its members have not been read */
	/* Reads size and members and sets is_complete; NULL: this is all. */
	void (*complete)(struct type_layout *l);
	void *source;		       /* for complete() */
	struct arena *arena;	       /* its members are there */
	struct type *copies[N_SPACES]; /* layout_in_space(); or NULL */
	uint32_t id;
};

struct type_enumerator {
	const char *name;
	int64_t value; /* of an unsigned 64-bit enum: the bits */
};

struct type_enum {
	struct type type; /* TY_INT */
	struct type wide; /* the same as a value of 64 bits: type_wide() */
	const char *tag;  /* NULL: it has none */
	struct type_enumerator *values;
	uint32_t n_values;
};

/* ---- structs and unions */

/* One without members; `tag` may be NULL. Not complete. */
struct type_layout *layout_new(struct arena *a, bool is_union, const char *tag);
/* Append a member as C places it: at the next offset with its alignment, in a union at 0. `bits`:
 * the width of a bit-field, -1 if it is not one. A name of NULL is an unnamed struct or union, or
 * (with bits) padding. A bit-field's type has a size. */
void layout_add(struct arena *a, struct type_layout *l, const char *name, const struct type *type,
		int bits);
/* The same with the attributes of the member itself: packed, aligned(align); align 0: none. */
void layout_add_as(struct arena *a, struct type_layout *l, const char *name,
		   const struct type *type, int bits, bool is_packed, uint32_t least_align);
/* Place a member at bit `at`; `bits` is the width of a bit-field, 0 if it is none. A place that a
 * struct of `size` bytes does not have makes its type void. */
void layout_place(struct type_member *m, uint64_t at, uint64_t bits, uint32_t size);
/* All members have been added: set the size. */
void layout_finish(struct type_layout *l);
/* Read the members of t, a TY_STRUCT, if that has not been done. False: it is only declared. */
bool layout_complete(const struct type *t);
/* The same for everything that t contains by value, not for what pointers in it point to. Also sets
 * the type's own list of members, in which those of unnamed members are at their places: for copies
 * that are shown. */
bool layout_complete_whole(const struct type *t);
/* Find the member `name`, in unnamed members too; *out has its offset in `t`. False: there is
 * none. */
bool layout_find(const struct type *t, const char *name, struct type_member *out);
/* The type of a copy of t, a TY_STRUCT, that was read in `space`: where pointers in it point. */
const struct type *layout_in_space(const struct type *t, enum type_space space);
/* Call fn with each name that layout_find() can find. */
void layout_each_name(const struct type *t, void (*fn)(const char *name, void *ctx), void *ctx);
/* "struct sock", "union { … }" */
const char *layout_str(struct arena *a, const struct type_layout *l);
bool layout_equal(const struct type_layout *x, const struct type_layout *y);
/* The alignment that C gives a member of that type, in bytes. */
uint32_t c_align(const struct type *t);

/* ---- enums */

/* The values of the enum are integers of `size` bytes. */
void enum_set_size(struct type_enum *e, uint32_t size, bool is_signed);
struct type_enum *enum_new(struct arena *a, const char *tag, uint32_t size, bool is_signed);
void enum_add(struct arena *a, struct type_enum *e, const char *name, int64_t value);
/* The first name of the value; NULL: it has none. */
const char *enum_name_of(const struct type_enum *e, int64_t value);
const char *enum_str(struct arena *a, const struct type_enum *e);
bool enum_equal(const struct type_enum *x, const struct type_enum *y);

/* ---- a script's names: its own first, then the kernel's */

struct c_name {
	enum c_kind kind;
	const char *name;
	const struct type *type; /* NULL: it was looked up and does not exist */
	int64_t value;		 /* of a constant */
	bool is_own;		 /* the script defines it */
	uint32_t next;		 /* with the same hash: index + 1 */
};

/* What the script's headers define: parser/csection/c_headers.c. */
struct c_more {
	/* The type; NULL: none. `is_first`: before the kernel is asked. */
	const struct type *(*type)(struct c_more *m, enum c_kind kind, const char *name,
				   bool is_first);
	const struct c_name *(*constant)(struct c_more *m, const char *name);
	/* Why the name is not known although a header may define it; NULL: there is no reason. */
	const char *(*hint)(struct c_more *m, const char *name);
};

enum { C_BUCKETS = 1024 };

struct c_user_name {
	const char *file, *name;
	const struct type *type; /* NULL: there is none */
};

struct c_types {
	struct arena *arena;
	struct kernel *kernel; /* NULL: the script's own only */
	struct c_name *names;  /* own ones, and those that were asked of the kernel */
	uint32_t n_names;
	struct c_more *more;		/* or NULL */
	uint32_t buckets[C_BUCKETS];	/* by the hash of the name: index + 1 of the last */
	struct c_user_name *user_names; /* that were asked of programs */
	uint32_t n_user_names;
};

struct c_types *c_types_new(struct arena *a);
/* Define a name. False: the script has defined it already. */
bool c_types_add(struct c_types *c, enum c_kind kind, const char *name, const struct type *type);
bool c_types_add_constant(struct c_types *c, const char *name, const struct type *type,
			  int64_t value);
/* The script's own struct or union `tag`, which may not be defined yet: for members that point to
 * it. One that is never defined is completed from the kernel. */
struct type_layout *c_types_tag(struct c_types *c, bool is_union, const char *tag);
/* The type of that name; NULL: there is none. */
const struct type *c_types_find(struct c_types *c, enum c_kind kind, const char *name);
/* The type "struct X" or "X" of a program, from its debug information; NULL: there is none. */
const struct type *c_types_find_user(struct c_types *c, const char *file, const char *name);
/* The type of that name that the script itself defines, which may be incomplete; or NULL. */
const struct type *c_types_own(const struct c_types *c, enum c_kind kind, const char *name);
/* The type as C writes it, without a declarator: "const struct sock *", "unsigned long", "pid_t".
 * Pointers point into `space`. NULL: not known. */
const struct type *c_types_parse(struct c_types *c, const char *text, enum type_space space);
/* The integer that C's words name, such as "unsigned long"; NULL: they name none. */
const struct type *c_types_number(const char *text);
/* Is it one of the words of which C makes names of integers, such as "unsigned"? */
bool c_types_is_number_word(const char *word);
/* The same for a qualifier, such as "const". */
bool c_types_is_qualifier(const char *word, size_t len);
/* The words for integers that were read, in any order. */
struct c_number {
	uint32_t size, sizes; /* of char and short; how many of these */
	uint32_t ints, longs, signs, words;
	bool is_unsigned;
};
/* Count the word. False: it is none of these. */
bool c_number_add(struct c_number *n, const char *word, size_t len);
/* The type that the words mean together; NULL: none. */
const struct type *c_number_type(const struct c_number *n);
/* A constant of an enum; NULL: there is none. */
const struct c_name *c_types_constant(struct c_types *c, const char *name);
