/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor of a script's C section: from its items to the tokens of its definitions, the
 * macros that are defined at its end, and the headers that it includes.
 */
#pragma once
#include "parser/csection/c_token.h"

struct c_headers;
struct program;

struct c_value {
	uint64_t bits;
	bool is_unsigned;
};

struct c_macro {
	const char *name;
	struct span name_span;
	struct span body;	     /* empty for an empty body and for predefined constants */
	const struct source *source; /* has the body */
	struct c_tokens tokens;
	bool is_of_header;
	bool is_function; /* #define NAME(…) */
	const char **params;
	uint32_t n_params;
	const char *rest; /* #define NAME(x, ...): "__VA_ARGS__", or the name before the "..." */
	bool is_defined;  /* as a macro of the script: macro_values.c */
	bool is_active;	  /* being expanded */
	enum { TEXTUAL_UNKNOWN, TEXTUAL_NO, TEXTUAL_YES } textual; /* macro_values.c */
	bool is_undefined;
	uint32_t next; /* in its bucket: index + 1 */
};

struct c_include {
	const char *path;
	struct span span; /* empty: of --include */
	bool is_quoted;	  /* "path", not <path> */
};

/* A use of a macro, with its arguments. */
struct c_call {
	const struct c_macro *macro;
	struct span span;      /* of the name */
	struct c_tokens *args; /* as written; those of "..." are one */
	struct c_tokens *expanded;
	uint32_t n_args;
};

enum { N_BUCKETS = 1024 };

struct preprocessor {
	struct arena *arena;
	struct diags *diags;
	const struct source *source;  /* the script */
	const struct source *reading; /* it, or the imported file that is being read */
	struct c_macro **macros;
	uint32_t n_macros;
	uint32_t buckets[N_BUCKETS]; /* of macros by name: index + 1 */
	struct c_include *includes;
	uint32_t n_includes;
	struct c_tokens out;	   /* what is left for the parser of definitions */
	struct c_headers *headers; /* NULL: there are none */

	struct c_group *groups; /* open #if, the innermost last */
	uint32_t n_groups;
	uint32_t n_expanded; /* tokens that macros became */
	bool is_full;	     /* LIMIT_C_TOKENS was reported */
};

/* An open #if. */
struct c_group {
	struct span span; /* of its #if */
	bool is_outer;	  /* the text around it is used */
	bool is_used;	  /* this branch is used */
	bool was_used;	  /* this or an earlier branch is used */
	bool has_else;
};

/* Define `name` as a number, as if by #define. */
void preprocess_define(struct preprocessor *p, const char *name, uint64_t value);
/* Process all items of the C section of `program`. */
void preprocess(struct preprocessor *p, const struct program *program);
/* The macro of that name, or NULL. */
struct c_macro *preprocess_find(const struct preprocessor *p, const char *name, size_t len);
/* True for `#define NAME NAME`, which headers contain so that #ifdef finds the constant of an enum.
 */
bool macro_is_itself(const struct c_macro *m);
/* Process a text that is not the script's, or a part of it. */
void preprocess_text(struct preprocessor *p, const struct source *text);
void preprocess_part(struct preprocessor *p, const struct source *text, struct span part);
/* True if calls of the macro need the text of their arguments: for "#", "##", "...", or a parameter
 * that is called. */
bool macro_is_textual(const struct c_macro *m);
/* The number of the macro's parameter that `t` names, n_params for that of "..."; -1: none. */
int macro_param(const struct c_macro *m, const struct c_token *t);
/* The macro that `t` names, or NULL. `is_called`: a '(' follows, so it may be one of a header. */
struct c_macro *preprocess_macro(struct preprocessor *p, const struct c_token *t, bool is_called);
/* The macro's text with the arguments in place of its parameters. */
struct c_tokens preprocess_text_of(struct preprocessor *p, const struct c_call *c);
/* Count `n` more tokens. True, with an error at `at` the first time: there are too many. */
bool preprocess_is_full(struct preprocessor *p, struct span at, uint32_t n);
/* Append a macro with a new name. */
void preprocess_add(struct preprocessor *p, const struct c_macro *from);
/* Append the tokens of `in` to *out, with macros expanded. */
void preprocess_expand(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out);
/* Process a line that begins with '#'; tokens[0] is the word after it, and CT_END ends the line. */
void preprocess_line(struct preprocessor *p, const struct c_token *hash, struct c_tokens line);
/* True if the text here is used, and not left out by an #if. */
bool preprocess_is_used(const struct preprocessor *p);

/* ---- macro_values.c: macros of C as values in a script */

/* Replace each name of a macro in the probes and functions of `program` by the macro's value,
 * which is an expression of the script. */
void macro_values_replace(struct preprocessor *p, struct program *program);
