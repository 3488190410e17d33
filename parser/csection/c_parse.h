/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of C's type definitions; private to this folder. It reads the tokens that the
 * preprocessor leaves, and registers structs, unions, enums, enum constants and typedefs in a
 * struct c_types.
 */
#pragma once
#include "parser/csection/preprocess.h"
#include "parser/lang/c_type.h"

struct c_parser {
	struct arena *arena;
	struct diags *diags;
	struct c_types *types;
	const struct preprocessor *pre; /* for messages about macros with parameters */
	const struct c_token *tokens;	/* with a CT_END at the end */
	uint32_t at;			/* the next token */
	bool is_header; /* skip what a script cannot have: variables and functions */
	uint32_t depth; /* nested types, declarators and expressions */
};

/* Attributes that change a layout. */
struct c_attributes {
	bool is_packed;
	uint32_t align; /* 0: none */
};

/* What comes before the names of a declaration. */
struct c_base {
	const struct type *type;
	bool is_plain_char; /* arrays of it are strings */
	bool is_typedef;
	struct span span;
	struct c_attributes attributes;
};

/* A declared name; NULL for none. */
struct c_declared {
	const char *name;
	struct span span;
	const struct type *type;
	bool is_flexible; /* an array without a size */
	struct c_attributes attributes;
};

/* Parse all definitions. Errors are in p->diags. */
void c_parse(struct c_parser *p);

/* ---- used between the files; all return false after an error, which has been reported ---- */

const struct c_token *c_next(const struct c_parser *p);
bool c_take(struct c_parser *p, int punct);
bool c_take_word(struct c_parser *p, const char *word);
bool c_error(struct c_parser *p, struct span span, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));
/* Report the next token, where `what` was expected. */
bool c_unexpected(struct c_parser *p, const char *what);
bool c_expect(struct c_parser *p, int punct, const char *text);
/* Enter or leave a nested construct. */
bool c_enter(struct c_parser *p);
void c_leave(struct c_parser *p);
/* A constant expression. */
bool c_constant(struct c_parser *p, int64_t *value, bool *is_unsigned);
/* All __attribute__ here. */
bool c_attributes(struct c_parser *p, struct c_attributes *a);
/* True if the next token begins a type. */
bool c_begins_type(struct c_parser *p);
bool c_specifiers(struct c_parser *p, struct c_base *base);
/* A declarator of `base` up to what follows it: ',' ';' ':' or ')'. */
bool c_declarator(struct c_parser *p, const struct c_base *base, struct c_declared *out);
/* A type without a name, as in sizeof(TYPE). */
bool c_type_name(struct c_parser *p, const struct type **type);
/* The size and alignment of a value of type `t` in bytes. Incomplete types are an error at `s`. */
bool c_complete(struct c_parser *p, const struct type *t, struct span s);
/* c_aggregate.c: after the words struct, union, enum. */
bool c_aggregate(struct c_parser *p, bool is_union, struct c_base *base);
bool c_enumeration(struct c_parser *p, struct c_base *base);
