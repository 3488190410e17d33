/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of C's type definitions and of the expressions in them and in #if; private to this
 * folder. It reads the tokens that the preprocessor leaves, and registers structs, unions, enums,
 * enum constants and typedefs in a struct c_types.
 *
 * After an error the tokens seem to end, so that everything that is being read returns, and further
 * errors are not reported. What a function returns then means nothing.
 */
#pragma once
#include "parser/csection/preprocess.h"
#include "parser/lang/c_type.h"

struct c_parser {
	struct arena *arena;
	struct diags *diags;
	struct c_types *types; /* NULL: an #if is read, which knows no types */
	struct preprocessor *pre;
	const struct c_token *tokens; /* with a CT_END at the end */
	uint32_t at;		      /* the next token */
	uint32_t depth;		      /* nested types, declarators and expressions */
	uint32_t n_skipped;	      /* > 0: in an operand that is not evaluated */
	bool is_header;		      /* skip what a script cannot have: variables and functions */
	bool is_wrong;		      /* an error was reported */
};

/* Attributes that change a layout. */
struct c_attributes {
	bool is_packed;
	uint32_t align; /* 0: none */
};

/* A declared name, NULL for none; or what comes before the names of a declaration. */
struct c_declared {
	const char *name;
	struct span span;
	const struct type *type;
	bool is_typedef;
	bool is_plain_char; /* arrays of it are strings */
	bool is_flexible;   /* an array without a size */
	struct c_attributes attributes;
};

/* Parse all definitions. Errors are in p->diags. */
void c_parse(struct c_parser *p);
/* c_expr.c: the value of the constant expression here, up to a token that does not belong to it. */
struct c_value c_evaluate(struct c_parser *p);

/* ---- used between the files */

const struct c_token *c_next(const struct c_parser *p);
bool c_take(struct c_parser *p, int punct);
bool c_take_word(struct c_parser *p, const char *word);
/* The name here, or NULL. */
const char *c_take_name(struct c_parser *p);
void c_error(struct c_parser *p, struct span span, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));
/* Report the next token, where `what` was expected. */
void c_unexpected(struct c_parser *p, const char *tag, const char *what);
void c_expect(struct c_parser *p, int punct, const char *text);
/* Enter or leave a nested construct. */
void c_enter(struct c_parser *p);
void c_leave(struct c_parser *p);
/* Skip to the token after the bracket that closes `open`, which was taken. */
void c_skip(struct c_parser *p, int open);
/* All __attribute__ here. */
void c_attributes(struct c_parser *p, struct c_attributes *a);
/* c_specifier.c: true if the next token begins a type. */
bool c_begins_type(struct c_parser *p);
/* The next token is a qualifier, or a word before variables and functions. */
bool c_is_qualifier(const struct c_parser *p);
bool c_is_storage(const struct c_parser *p);
struct c_declared c_specifiers(struct c_parser *p);
/* c_declarator.c: a declarator of `base` up to what follows it: ',' ';' ':' or ')'. */
struct c_declared c_declarator(struct c_parser *p, const struct c_declared *base);
/* A type without a name, as in sizeof(TYPE). */
const struct type *c_type_name(struct c_parser *p);
/* An error at `s` unless the size of type `t` is known. */
void c_complete(struct c_parser *p, const struct type *t, struct span s);
/* c_aggregate.c: the type after the words struct, union, enum. */
const struct type *c_aggregate(struct c_parser *p, bool is_union);
const struct type *c_enumeration(struct c_parser *p);
