/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of C, as far as preprocessor lines and type definitions need them.
 */
#pragma once
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/base/text.h"

enum c_token_kind {
	CT_END,
	CT_NAME,   /* also a variable or map of the script: $x, @x */
	CT_NUMBER, /* value */
	CT_STRING,
	CT_OTHER, /* a floating-point number, or a literal that is not terminated */
	CT_PUNCT, /* punct */
};

/* Operators of two characters; others are their character. */
enum c_punct {
	CP_SHL = 256,
	CP_SHR,
	CP_LE,
	CP_GE,
	CP_EQ,
	CP_NE,
	CP_AND,
	CP_OR,
	CP_ELLIPSIS,
	CP_PASTE
};

struct c_token {
	enum c_token_kind kind;
	int punct;
	const char *text; /* in the source, not terminated */
	uint32_t len;
	struct span span;
	uint64_t value;
	bool is_unsigned;
	bool begins_line; /* first on its line; a line that ends with '\' continues on the next */
	bool has_space;	  /* white space before it */
	bool is_final;	  /* a macro's name in its own expansion */
};

struct c_tokens {
	struct c_token *items;
	uint32_t n;
};

/* The token at `at`, which is advanced past it; CT_END at `end`. Both are offsets as in spans, from
 * s->base on. */
struct c_token c_token_read(const struct source *s, uint32_t *at, uint32_t end);
/* True if the token is this word or operator. */
bool c_token_is_word(const struct c_token *t, const char *word);
bool c_token_is(const struct c_token *t, int punct);
/* The name's text, NUL-terminated. */
const char *c_token_name(struct arena *a, const struct c_token *t);
