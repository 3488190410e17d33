/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token filter between the lexer and the grammar (design: "one token filter with free
 * look-ahead"), private to lexer.l, parser.y, filter*.c and syntax_error.c. It reads the whole
 * script into an array of tokens, decides what each '/', '<' and '>' is, and hands the grammar
 * brackets that always balance: what is missing is reported and put in, what is too much is
 * reported and left out. After a syntax error it says where the grammar goes on.
 */
#pragma once
#include "parser/base/source.h"
#include <stdbool.h>

struct arena;
struct diags;

/* ---- what the lexer knows (lexer.l) ---- */

enum lexer_state { LEXER_TOP, LEXER_HEAD, LEXER_BODY };

struct lexer {
	struct arena *arena;
	struct diags *diags; /* NULL while the filter skips what is not built */
	uint32_t offset;     /* of the next byte */
	bool is_cut;	     /* a literal or comment without end hid the closers behind it */
};

/* Change the state of `scanner` (flex's handle) for the next token. */
void lexer_enter(void *scanner, enum lexer_state state);

/* A token's text, or a number's value. */
struct token_text {
	const char *text;
	uint32_t len;
};

/* ---- tokens ---- */

enum { NO_TOKEN = UINT32_MAX };

struct token {
	int kind; /* TOK_… of parser.y */
	struct span span;
	uint32_t inside;  /* the innermost opener around it (a closer: its own); NO_TOKEN: none */
	uint32_t partner; /* openers and closers: the other one */
	bool is_quiet;	  /* errors here follow from one that was reported */
	union {
		uint64_t integer;
		struct token_text text;
	};
};

struct filter {
	const struct source *source;
	struct diags *diags;
	struct token *tokens; /* the last is the end of the script */
	uint32_t n_tokens;
	uint32_t next;		 /* what filter_next gives */
	uint32_t current;	 /* what it gave last */
	bool resumes;		 /* first give TOK_RESUME */
	uint32_t last_stop;	 /* where the last error was: no error stops twice at one token */
	uint32_t filled;	 /* the last '}' that a value was put in before; 0: none */
	bool has_reported_angle; /* the early close was reported once */
};

/* Read all of `s`. Errors of characters, literals and brackets go to `d`. */
void filter_open(struct filter *f, struct arena *a, const struct source *s, struct diags *d);
/* Second pass of filter_open: what each '(' , '{', 'if' and '_' is. */
void filter_decide(struct filter *f);
/* The next token's index. */
uint32_t filter_next(struct filter *f, bool *resume);
/* After a syntax error at the current token: the grammar gets TOK_RESUME, then goes on behind the
 * statement, at the end of the predicate, or at the next probe. */
void filter_recover(struct filter *f);
/* Innermost opener around token `i` that is no ( or [: a block, a predicate, or NO_TOKEN. */
uint32_t filter_region(const struct filter *f, uint32_t i);
/* Report the syntax error at the current token; `expected` are the kinds that could stand there. */
void syntax_error(struct filter *f, const int *expected, int n_expected);
