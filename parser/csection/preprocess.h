/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor of a script's C section: from its items to the tokens of its definitions, the
 * macros that are defined at its end, and the headers that it includes.
 */
#pragma once
#include "parser/csection/c_expr.h"
#include "parser/csection/c_token.h"

struct diags;
struct program;

struct c_macro {
	const char *name;
	struct span name_span;
	struct span body;	     /* empty for an empty body and for predefined constants */
	const struct source *source; /* has the body */
	struct c_tokens tokens;
	bool is_function; /* #define NAME(…) */
	const char **params;
	uint32_t n_params;
	bool is_variadic; /* #define NAME(x, ...) */
	bool is_defined;  /* as a macro of the script: macro_values.c */
	bool is_active;	  /* being expanded */
	bool is_undefined;
	uint32_t next; /* in its bucket: index + 1 */
};

struct c_include {
	const char *path;
	struct span span; /* empty: of --include */
	bool is_quoted;	  /* "path", not <path> */
};

enum { N_BUCKETS = 1024 };

struct preprocessor {
	struct arena *arena;
	struct diags *diags;
	const struct source *source;  /* the script */
	const struct source *reading; /* it, or the imported file that is being read */
	struct c_macro *macros;
	uint32_t n_macros;
	uint32_t buckets[N_BUCKETS]; /* of macros by name: index + 1 */
	struct c_include *includes;
	uint32_t n_includes;
	struct c_tokens out; /* what is left for the parser of definitions */
	/* The value of a name that no macro defines, from the headers that were included so far;
	 * false if they do not define it. May be NULL. */
	bool (*header_constant)(struct preprocessor *p, const char *name, struct c_value *out);
	void *ctx;

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
/* Is it `#define NAME NAME`? Headers do this so that #ifdef finds the constant of an enum. */
bool macro_is_itself(const struct c_macro *m);
/* Process a text that is not the script's. */
void preprocess_text(struct preprocessor *p, const struct source *text);
/* What of C a macro with parameters has that is not supported; NULL: nothing. */
const char *preprocess_unsupported(const struct c_macro *m);
/* Append a macro with a new name. */
void preprocess_add(struct preprocessor *p, struct c_macro *m);
/* Append the tokens of `in` to *out, with macros expanded. */
void preprocess_expand(struct preprocessor *p, const struct c_tokens *in, struct c_tokens *out);
/* Process a line that begins with '#'; tokens[0] is the word after it, and CT_END ends the line. */
void preprocess_line(struct preprocessor *p, const struct c_token *hash, struct c_tokens line);
/* Is the text here used, or left out by an #if? */
bool preprocess_is_used(const struct preprocessor *p);
